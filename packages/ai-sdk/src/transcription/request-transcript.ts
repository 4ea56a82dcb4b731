import type { TranscriptionModelV4TimestampGranularity as Granularity } from '@ai-sdk/provider'
import {
  type CallOptions,
  ProtocolError,
  type PureAudioClient,
  type ResponseInfo,
  type TranscriptionSource,
} from '@svc-audio/core'
import { flag, optional, texts } from '#options'
import { type AllProviderOptions, type Json, readProviderOptions } from '../request.ts'
import { unsupported, type Warning } from '../warnings.ts'

/** Body of a transcription. */
export type TranscriptBody = TranscriptionSource & {
  readonly model: string
  readonly diarize?: boolean
  readonly keyterms?: readonly string[]
}

/** Result of either way. */
export interface RequestedTranscript {
  readonly data: object & { readonly text: string }
  readonly response: ResponseInfo
  readonly metadata: Readonly<Record<string, Json>>
}

/** Longest wait for the cancellation of a task whose caller has aborted, in milliseconds. */
const CANCEL_TIMEOUT = 10_000

/**
 * Requests a transcription. With `async`, it is a task, and an abort cancels the task where the service can.
 * @throws the errors of the client
 */
export async function requestTranscript(
  client: PureAudioClient,
  body: TranscriptBody,
  { async, ...options }: CallOptions & { readonly async: boolean },
): Promise<RequestedTranscript> {
  if (!async) {
    const json = { ...body, response_format: 'json' } as const
    const { data, ...response } = await client.transcriptions.create(json, options).withResponse()
    return { data, response, metadata: {} }
  }
  const { data: task, ...response } = await client.transcriptions.createTask(body, options).withResponse()
  try {
    const done = await task.wait()
    if (typeof done.text !== 'string') throw new ProtocolError(`Task ${task.id} ended in SUCCESS without \`text\``)
    return { data: { ...done, text: done.text }, response, metadata: { taskId: task.id } }
  } catch (error) {
    // An addition of the self-hosted service. Elsewhere the task continues.
    if (options.signal?.aborted === true) task.cancel({ timeout: CANCEL_TIMEOUT }).catch(() => {})
    throw error
  }
}

/** The parts of a transcription that the AI SDK has a place for. */
interface ReadTranscript {
  readonly text: string
  readonly segments: { text: string; startSecond: number; endSecond: number }[]
  /** The segments with their speakers, if the answer names any. */
  readonly speakers: { [field: string]: Json }[] | undefined
  readonly language: string | undefined
  readonly duration: number | undefined
}

/** Reads a transcription. Only the text is certain: the standard model reports nothing else. */
export function readTranscript(data: object & { readonly text: string }): ReadTranscript {
  const given: unknown = Reflect.get(data, 'segments')
  const segments: ReadTranscript['segments'] = []
  const speakers: { [field: string]: Json }[] = []
  for (const segment of Array.isArray(given) ? given : []) {
    const { text, start, end, speaker } = fieldsOf(segment)
    if (typeof text !== 'string' || typeof start !== 'number' || typeof end !== 'number') continue
    segments.push({ text, startSecond: start, endSecond: end })
    if (typeof speaker === 'string') speakers.push({ speaker, text, startSecond: start, endSecond: end })
  }
  const { language, duration } = fieldsOf(data)
  return {
    text: data.text,
    segments,
    speakers: speakers.length === 0 ? undefined : speakers,
    language: typeof language === 'string' ? language : undefined,
    duration: typeof duration === 'number' ? duration : undefined,
  }
}

function fieldsOf(value: unknown): Partial<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

/** Audio of the AI SDK as bytes. A string is Base64, of either alphabet. */
export function bytesOf(audio: Uint8Array | string): Uint8Array {
  if (typeof audio !== 'string') return audio
  const binary = atob(audio.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}

/** Settings of `transcribe` that may cause a warning. */
export type TranscriptionSetting = 'timestampGranularities'

/** It reports the text alone. */
export const STANDARD_MODEL = 'svc-transcribe-1.0'

/** Warnings for timings that the interface does not have: words, and segments of the standard model. */
export function timingWarnings(
  model: string,
  granularities: readonly Granularity[] = [],
): Warning<TranscriptionSetting>[] {
  const warnings: Warning<TranscriptionSetting>[] = []
  const warn = (details: string): void => void warnings.push(unsupported('timestampGranularities', details))
  if (granularities.includes('word')) warn('The service reports no times of words.')
  if (granularities.includes('segment') && model === STANDARD_MODEL) {
    warn(`${STANDARD_MODEL} reports no segments: use svc-transcribe-diarize-pro.`)
  }
  return warnings
}

/**
 * `providerOptions.svcAudio` of `transcribe` and `experimental_streamTranscribe`.
 *
 * @example
 * providerOptions: { svcAudio: { keyterms: ['Contoso'] } satisfies SvcAudioTranscriptionOptions }
 */
export type SvcAudioTranscriptionOptions = {
  /** Whether speakers are separated. @default the service's */
  diarize?: boolean
  /** Names and terms to recognize. Only for `svc-transcribe-diarize-pro`. @default none */
  keyterms?: string[]
  /**
   * Transcribes in a task and waits for its end, for recordings that take longer than one request may. Not for
   * `experimental_streamTranscribe`.
   * @default false
   */
  async?: boolean
}

/** @throws InvalidArgumentError naming the option */
export function transcriptionOptions(all: AllProviderOptions): SvcAudioTranscriptionOptions {
  return readProviderOptions<SvcAudioTranscriptionOptions>(all, {
    diarize: optional(flag),
    keyterms: optional(texts),
    async: optional(flag),
  })
}
