import type {
  SpeechModelV4CallOptions,
  Experimental_SpeechModelV4StreamOptions as StreamOptions,
  Experimental_SpeechModelV4StreamResult as StreamResult,
} from '@ai-sdk/provider'
import type { CallOptions, PureAudioClient, ResponseInfo, SpeechStream } from '@svc-audio/core'
import {
  callOptions,
  type Json,
  type Metadata,
  type ModelContext,
  PROVIDER,
  providerMetadata,
  responseMetadata,
  type ResponseMetadata,
  send,
} from '../request.ts'
import type { Warning } from '../warnings.ts'
import { planSpeech, speechOptions, type SpeechPlan, type SpeechSetting, type SvcAudioPauses } from './plan-speech.ts'
import { streamSpeech } from './stream-speech.ts'

/** Result of a call, for every version of the AI SDK. */
export interface GeneratedSpeech {
  /** The whole audio, in the format of `outputFormat`. */
  audio: Uint8Array
  /** Settings that had no effect, each with the reason and a remedy. */
  warnings: Warning<SpeechSetting>[]
  /** The request that was sent. */
  request: {
    /** Its body, as JSON. */
    body: string
  }
  /** Model, headers and time of the response. */
  response: ResponseMetadata
  /** `requestId` of the service, and `taskId` and PCM format of a stream, under `svcAudio`. */
  providerMetadata: Metadata
}

/** A model of speech, of the specification `v4`. Its calls serve the older specifications too. */
export interface SvcAudioSpeechModel {
  /** Version of the specification that the model follows. The AI SDK reads it. */
  readonly specificationVersion: 'v4'
  /** Name of the provider and the kind of model, for telemetry and errors. */
  readonly provider: string
  /** Id of the model, as in requests. */
  readonly modelId: string
  /** For `generateSpeech`. */
  doGenerate(options: SpeechModelV4CallOptions): Promise<GeneratedSpeech>
  /** For `experimental_streamSpeech`. */
  doStream(options: StreamOptions): Promise<StreamResult>
}

/** @param modelId `svc-tts-1.5-flash`, `svc-tts-1.0-pro`, `svc-voice-generator-1.0`, or another id of the service. */
export function speechModel(modelId: string, context: ModelContext): SvcAudioSpeechModel {
  return {
    specificationVersion: 'v4',
    provider: `${PROVIDER}.speech`,
    modelId,
    doGenerate: (options) => generateSpeech(modelId, context, options),
    doStream: async (options) => streamSpeech(modelId, context, options),
  }
}

const PATHS: Readonly<Record<SpeechPlan['kind'], string>> = {
  file: '/v1/audio/speech',
  stream: '/v1/audio/speech',
  design: '/v1/audio/voice/generations',
}

async function generateSpeech(
  model: string,
  context: ModelContext,
  call: SpeechModelV4CallOptions,
): Promise<GeneratedSpeech> {
  const options = speechOptions(call.providerOptions)
  const { voice = context.voice, abortSignal } = call
  const { speakable = false, pauses } = options
  const planned = { path: PATHS.file, body: { model } }
  const text = await send(context, planned, abortSignal, () =>
    spokenText(call.text, { speakable, pauses, model, language: call.language }),
  )
  const plan = planSpeech(model, { ...call, text, voice }, options)
  const { kind, body, warnings } = plan
  const made = await send(context, { path: PATHS[kind], body }, abortSignal, (client) =>
    make(client, plan, callOptions(call)),
  )
  return {
    audio: made.audio,
    warnings,
    request: { body: JSON.stringify(body) },
    response: responseMetadata(model, made.response.headers),
    providerMetadata: providerMetadata({ requestId: made.response.requestId, ...made.metadata }),
  }
}

interface MadeSpeech {
  readonly audio: Uint8Array
  readonly response: ResponseInfo
  readonly metadata: Readonly<Record<string, Json | undefined>>
}

async function make(client: PureAudioClient, plan: SpeechPlan, options: CallOptions): Promise<MadeSpeech> {
  if (plan.kind === 'stream') {
    const { data, ...response } = await client.speech.stream(plan.body, options).withResponse()
    const audio = plan.container === 'wav' ? await data.toWav() : await pcmOf(data)
    return { audio, response, metadata: { taskId: data.taskId, ...data.format } }
  }
  const answer =
    plan.kind === 'file' ? client.speech.create(plan.body, options) : client.voiceGenerations.create(plan.body, options)
  const { data, ...response } = await answer.withResponse()
  return { audio: await data.bytes(), response, metadata: { contentType: data.contentType } }
}

async function pcmOf(speech: SpeechStream): Promise<Uint8Array> {
  return new Uint8Array(await new Response(speech.stream()).arrayBuffer())
}

/** Options of {@link spokenText}. */
interface SpokenTextOptions {
  readonly speakable: boolean
  readonly pauses: SvcAudioPauses | undefined
  readonly model: string
  readonly language: string | undefined
}

/**
 * The text that the service gets: converted to speakable text, and with pause markers.
 * @throws InvalidRequestError for pauses with a model that has none
 */
async function spokenText(text: string, options: SpokenTextOptions): Promise<string> {
  const { speakable, pauses } = options
  // The Markdown reader is loaded only if needed.
  const input = speakable ? (await import('@svc-audio/text')).speakable(text) : text
  return pauses === undefined ? input : withPauses(input, pauses, options)
}

/** An empty line. */
const PARAGRAPH = /\n[^\S\n]*\n\s*/

async function withPauses(
  text: string,
  { sentenceSeconds, paragraphSeconds }: SvcAudioPauses,
  { model, language }: SpokenTextOptions,
): Promise<string> {
  const { pauseMarker, splitSentences } = await import('@svc-audio/core/text')
  const marker = (seconds: number | undefined, otherwise: string): string =>
    seconds === undefined ? otherwise : ` ${pauseMarker(seconds, model)} `
  const split = language === undefined || language === 'auto' ? {} : { language }
  const sentences = (paragraph: string): string =>
    sentenceSeconds === undefined ? paragraph : splitSentences(paragraph, split).join(marker(sentenceSeconds, ' '))
  return text
    .trim()
    .split(PARAGRAPH)
    .map(sentences)
    .join(marker(paragraphSeconds ?? sentenceSeconds, '\n\n'))
}
