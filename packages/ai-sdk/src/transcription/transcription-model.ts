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
import { bytesOf } from './audio-bytes.ts'
import { readTranscript } from './read-transcript.ts'
import { requestTranscript } from './request-transcript.ts'
import { streamTranscription } from './stream-transcription.ts'
import { timingWarnings, type TranscriptionSetting } from './timing-warnings.ts'
import { transcriptionOptions } from './transcription-options.ts'

/** Result of a call, for every version of the AI SDK. */
export interface Transcript {
  text: string
  segments: { text: string; startSecond: number; endSecond: number }[]
  language: string | undefined
  durationInSeconds: number | undefined
  warnings: Warning<TranscriptionSetting>[]
  request: { body: string }
  response: ResponseMetadata & { body: unknown }
  providerMetadata: Metadata
}

/** A model of transcription, of the specification `v4`. Its calls serve the older specifications too. */
export interface SvcAudioTranscriptionModel {
  readonly specificationVersion: 'v4'
  readonly provider: string
  readonly modelId: string
  /** For `transcribe`. */
  doGenerate(options: TranscriptionModelV4CallOptions): Promise<Transcript>
  /** For `transcribe` with a URL. Resolves to `undefined` if the service may not fetch the address. */
  doGenerateFromUrl(options: Call & { audio: URL }): Promise<Transcript | undefined>
  /** For `experimental_streamTranscribe`. */
  doStream(options: StreamOptions): Promise<StreamResult>
}

/** A call without its audio. */
type Call = Omit<TranscriptionModelV4CallOptions, 'audio' | 'mediaType'>

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
  call: Call,
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
