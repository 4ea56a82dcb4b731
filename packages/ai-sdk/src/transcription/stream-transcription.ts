import {
  InvalidArgumentError,
  type Experimental_TranscriptionModelV4StreamOptions as StreamOptions,
  type Experimental_TranscriptionModelV4StreamPart as StreamPart,
  type Experimental_TranscriptionModelV4StreamResult as StreamResult,
  type SharedV4AudioFormat,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider'
import type { UploadFile } from '@svc-audio/core'
import { wavStream } from '@svc-audio/core/audio'
import { readParts, streamParts } from '../stream-parts.ts'
import {
  callOptions,
  type Json,
  type ModelContext,
  PROVIDER,
  providerMetadata,
  responseMetadata,
  type SentRequest,
  send,
} from '../request.ts'
import { compatibility, type Warning } from '../warnings.ts'
import {
  bytesOf,
  readTranscript,
  requestTranscript,
  STANDARD_MODEL,
  type TranscriptBody,
  transcriptionOptions,
} from './request-transcript.ts'

/**
 * A transcript while it is recognized. The audio flows to the service while it is recorded. The service recognizes it
 * when it is complete: the interface has no live recognition.
 */
export function streamTranscription(model: string, context: ModelContext, call: StreamOptions): StreamResult {
  const { abortSignal, audio } = call
  const stream = streamParts<StreamPart>(
    (signal) => transcribe(model, context, { ...call, abortSignal: signal }),
    abortSignal,
    // A reader that `readParts` has taken owns the stream.
    (reason) => (audio.locked ? undefined : audio.cancel(reason)),
  )
  return { stream }
}

async function* transcribe(
  model: string,
  context: ModelContext,
  call: StreamOptions,
): AsyncGenerator<StreamPart, void, undefined> {
  const { async, ...options } = transcriptionOptions(call.providerOptions)
  if (async !== undefined) {
    const argument = `providerOptions.${PROVIDER}.async`
    throw new InvalidArgumentError({ argument, message: `${argument}: a stream is not a task: leave it out` })
  }
  const request: SentRequest = { path: '/v1/audio/transcriptions', body: { model, ...options } }
  const { abortSignal, inputAudioFormat } = call
  const type = uploadType(inputAudioFormat)
  const audio = readParts(call.audio, bytesOf, abortSignal)
  try {
    const body = { model, ...options, file: fileOf(audio, type, inputAudioFormat.rate) }
    if (model === STANDARD_MODEL) {
      yield { type: 'stream-start', warnings: [inOnePiece(model)] }
      yield* whole(model, context, call, request, body)
    } else {
      yield { type: 'stream-start', warnings: [] }
      yield* pieces(model, context, call, request, body)
    }
  } finally {
    await audio.return()
  }
}

function inOnePiece(model: string): Warning {
  return compatibility('streaming', `${model} sends its text in one piece: use svc-transcribe-diarize-pro.`)
}

async function* whole(
  model: string,
  context: ModelContext,
  call: StreamOptions,
  request: SentRequest,
  body: TranscriptBody,
): AsyncGenerator<StreamPart, void, undefined> {
  const { data, response } = await send(context, request, call.abortSignal, (client) =>
    requestTranscript(client, body, { ...callOptions(call), async: false }),
  )
  yield { type: 'response-metadata', ...responseMetadata(model, response.headers) }
  if (call.includeRawChunks === true) yield { type: 'raw', rawValue: data }
  const { text, segments, language, duration } = readTranscript(data)
  if (text !== '') yield { type: 'transcript-delta', delta: text }
  yield {
    type: 'finish',
    text,
    segments,
    ...(language === undefined ? {} : { language }),
    ...(duration === undefined ? {} : { durationInSeconds: duration }),
    providerMetadata: providerMetadata({ requestId: response.requestId }),
  }
}

async function* pieces(
  model: string,
  context: ModelContext,
  call: StreamOptions,
  request: SentRequest,
  body: TranscriptBody,
): AsyncGenerator<StreamPart, void, undefined> {
  const { abortSignal, includeRawChunks = false } = call
  const opened = await send(context, request, abortSignal, (client) =>
    client.transcriptions.stream(body, callOptions(call)).withResponse(),
  )
  const { data: stream, ...response } = opened
  yield { type: 'response-metadata', ...responseMetadata(model, response.headers) }
  try {
    const events = stream.events()
    for (;;) {
      const { done, value: event } = await send(context, request, abortSignal, () => events.next())
      if (done === true) break
      if (includeRawChunks) yield { type: 'raw', rawValue: event }
      const part = partOf(event)
      if (part !== undefined) yield part
    }
    const { requestId, segments, taskId, usage } = stream
    const turns = segments.map(({ speaker, text }): { [field: string]: Json } => ({ speaker, text }))
    yield {
      type: 'finish',
      text: await stream.text(),
      // the events carry no times
      segments: [],
      ...(usage === undefined ? {} : { usage: { ...usage } }),
      providerMetadata: providerMetadata({ requestId, taskId, segments: turns.length === 0 ? undefined : turns }),
    }
  } finally {
    stream.cancel()
  }
}

/** The part of the AI SDK for an event. Events are identified by `type` alone, and core has checked their texts. */
function partOf(event: { readonly type: string; readonly [field: string]: unknown }): StreamPart | undefined {
  const { type, delta, text, speaker, content_index: index } = event
  if (type === 'transcript.text.delta' && typeof delta === 'string') return { type: 'transcript-delta', delta }
  if (type !== 'transcript.segment.done' || typeof text !== 'string') return undefined
  return {
    type: 'transcript-final',
    text,
    ...(typeof index === 'number' ? { id: String(index) } : {}),
    ...(typeof speaker === 'string' ? { providerMetadata: providerMetadata({ speaker }) } : {}),
  }
}

/** Formats of raw samples that the interface does not know. */
const RAW: ReadonlySet<string> = new Set(['audio/pcmu', 'audio/pcma', 'audio/l16', 'audio/basic'])

/** @throws UnsupportedFunctionalityError or InvalidArgumentError for a format that cannot be sent */
function uploadType({ type, rate }: SharedV4AudioFormat): string {
  if (RAW.has(type)) {
    const message = `inputAudioFormat: ${type} is not supported: send audio/pcm, or a file format such as audio/wav`
    throw new UnsupportedFunctionalityError({ functionality: `inputAudioFormat ${type}`, message })
  }
  if (type !== 'audio/pcm') return type
  if (rate === undefined || !Number.isInteger(rate) || rate <= 0) {
    const argument = 'inputAudioFormat.rate'
    throw new InvalidArgumentError({ argument, message: `${argument}: audio/pcm needs its sample rate in Hz` })
  }
  return 'audio/wav'
}

/** The upload of a stream. PCM is 16-bit little-endian mono, as in every provider of the AI SDK. */
function fileOf(audio: AsyncIterable<Uint8Array>, type: string, rate: number | undefined): UploadFile {
  if (type !== 'audio/wav' || rate === undefined) return { data: audio, type }
  return { data: wavStream({ sampleRate: rate, channels: 1, bitDepth: 16 }, audio), type }
}
