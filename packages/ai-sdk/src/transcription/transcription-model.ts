import type {
  Experimental_TranscriptionModelV4StreamOptions as StreamOptions,
  Experimental_TranscriptionModelV4StreamResult as StreamResult,
  TranscriptionModelV4CallOptions,
} from '@ai-sdk/provider'
import { InvalidRequestError, type TranscriptionSource } from '@svc-audio/core'
import { checkPublicUrl } from '@svc-audio/core/adapter'
import {
  callOptions,
  type Metadata,
  type ModelContext,
  PROVIDER,
  providerMetadata,
  responseMetadata,
  type ResponseMetadata,
  send,
} from '../request.ts'
import type { Warning } from '../warnings.ts'
import {
  bytesOf,
  readTranscript,
  requestTranscript,
  timingWarnings,
  transcriptionOptions,
  type TranscriptionSetting,
} from './request-transcript.ts'
import { streamTranscription } from './stream-transcription.ts'

/** Result of a call, for every version of the AI SDK. */
export interface Transcript {
  /** The whole text. Empty for silence. */
  text: string
  /** Segments in the order of time. Empty for `svc-transcribe-1.0`, which reports none. */
  segments: {
    /** What was said. */
    text: string
    /** Start, in seconds from the start of the audio. */
    startSecond: number
    /** End, in seconds from the start of the audio. */
    endSecond: number
  }[]
  /** The language that was heard, if the service reports it. */
  language: string | undefined
  /** Length of the audio in seconds, if the service reports it. */
  durationInSeconds: number | undefined
  /** Settings that had no effect, each with the reason and a remedy. */
  warnings: Warning<TranscriptionSetting>[]
  /** The request that was sent. */
  request: {
    /** Its body as JSON, without the bytes of the audio. */
    body: string
  }
  /** Model, headers and time of the response, with its body as the service sent it. */
  response: ResponseMetadata & {
    /** The parsed body. */
    body: unknown
  }
  /** `requestId` of the service, and `segments` with their speakers, under `svcAudio`. */
  providerMetadata: Metadata
}

/** A model of transcription, of the specification `v4`. Its calls serve the older specifications too. */
export interface SvcAudioTranscriptionModel {
  /** Version of the specification that the model follows. The AI SDK reads it. */
  readonly specificationVersion: 'v4'
  /** Name of the provider and the kind of model, for telemetry and errors. */
  readonly provider: string
  /** Id of the model, as in requests. */
  readonly modelId: string
  /** For `transcribe`. */
  doGenerate(options: TranscriptionModelV4CallOptions): Promise<Transcript>
  /** For `transcribe` with a URL. Resolves to `undefined` if the service may not fetch the address. */
  doGenerateFromUrl(options: TranscriptionSettings & { audio: URL }): Promise<Transcript | undefined>
  /** For `experimental_streamTranscribe`. */
  doStream(options: StreamOptions): Promise<StreamResult>
}

/** Settings of a call, without its audio. */
export type TranscriptionSettings = Omit<TranscriptionModelV4CallOptions, 'audio' | 'mediaType'>

/** @param modelId `svc-transcribe-1.0`, `svc-transcribe-diarize-pro`, or another id of the service. */
export function transcriptionModel(modelId: string, context: ModelContext): SvcAudioTranscriptionModel {
  return {
    specificationVersion: 'v4',
    provider: `${PROVIDER}.transcription`,
    modelId,
    doGenerate: ({ audio, mediaType, ...call }) =>
      transcribe(modelId, context, call, { file: { data: bytesOf(audio), type: mediaType } }),
    doGenerateFromUrl: async ({ audio, ...call }) =>
      isPublic(audio) ? transcribe(modelId, context, call, { url: audio.href }) : undefined,
    doStream: async (call) => streamTranscription(modelId, context, call),
  }
}

/** The service fetches public addresses only. For another one, the AI SDK downloads the audio itself. */
function isPublic(url: URL): boolean {
  try {
    checkPublicUrl(url.href, 'url')
    return true
  } catch (error) {
    if (InvalidRequestError.isInstance(error)) return false
    throw error
  }
}

async function transcribe(
  model: string,
  context: ModelContext,
  call: TranscriptionSettings,
  source: TranscriptionSource,
): Promise<Transcript> {
  const { async = false, ...options } = transcriptionOptions(call.providerOptions)
  const body = { model, ...options, ...source }
  const shown = { model, ...options, ...(source.url === undefined ? {} : { url: source.url }) }
  const request = { path: '/v1/audio/transcriptions', body: shown }
  const { data, response, metadata } = await send(context, request, call.abortSignal, (client) =>
    requestTranscript(client, body, { ...callOptions(call), async }),
  )
  const { text, segments, language, duration, speakers } = readTranscript(data)
  return {
    text,
    segments,
    language,
    durationInSeconds: duration,
    warnings: timingWarnings(model, call.timestampGranularities),
    request: { body: JSON.stringify(shown) },
    response: { ...responseMetadata(model, response.headers), body: data },
    providerMetadata: providerMetadata({ requestId: response.requestId, segments: speakers, ...metadata }),
  }
}
