import { Readable } from 'node:stream'
import type { SpeechStreamEvent } from '@svc-audio/core/interface'
import { END, streamOver } from '@svc-audio/engine-ports/driver'
import type { FastifyReply } from 'fastify'
import type { Clock } from '../domain/clock.ts'
import type { StreamedSpeech } from '../use-cases/speech/stream.ts'
import { toServiceError } from '../use-cases/to-service-error.ts'

/** Interval of the comments in a silent stream, in milliseconds. Proxies cut connections after 30 s or more. */
const KEEP_ALIVE_MS = 15_000

/** Formats one server-sent event: `data:` lines only, the type is in the JSON (interface: Events). */
export function eventFrame(event: object): string {
  return `data: ${JSON.stringify(event)}\n\n`
}

/** Sends frames as server-sent events. */
export function sendEvents(reply: FastifyReply, frames: AsyncIterable<string>): FastifyReply {
  return (
    reply
      .header('content-type', 'text/event-stream; charset=utf-8')
      .header('cache-control', 'no-cache, no-transform')
      // Without this header nginx buffers the events.
      .header('x-accel-buffering', 'no')
      .send(Readable.from(frames, { objectMode: false }))
  )
}

/**
 * Formats events as frames, and adds a comment after each silent interval.
 * @param frameOf Formats an event. @default {@link eventFrame}
 */
export function liveFrames<Event extends object>(
  events: AsyncIterable<Event>,
  clock: Clock,
  frameOf: (event: Event) => string = eventFrame,
): AsyncIterable<string> {
  const source = events[Symbol.asyncIterator]()
  let coming: Promise<IteratorResult<Event, undefined>> | undefined
  return streamOver<string>(source, async () => {
    coming ??= source.next()
    const result = await within(KEEP_ALIVE_MS, coming, clock)
    if (result === undefined) return { done: false, value: ': keep-alive\n\n' }
    coming = undefined
    return result.done === true ? END : { done: false, value: frameOf(result.value) }
  })
}

/** The result of the promise, or `undefined` after the interval. */
async function within<T>(milliseconds: number, work: Promise<T>, clock: Clock): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>()
  const cancel = clock.setTimer(milliseconds, () => late.resolve(undefined))
  try {
    return await Promise.race([work, late.promise])
  } finally {
    cancel()
  }
}

/** Sends audio as it is made. Waits for the first bytes, so that an earlier failure still gets an error status. */
export async function sendAudio(
  reply: FastifyReply,
  audio: AsyncIterable<Uint8Array>,
  contentType: string,
): Promise<FastifyReply> {
  const stream = Readable.from(await started(audio), { objectMode: false })
  return reply.header('content-type', contentType).send(stream)
}

/** Waits for the first chunk of audio. @returns The audio with that chunk */
export async function started(source: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const chunks = source[Symbol.asyncIterator]()
  let first: IteratorResult<Uint8Array, undefined> | undefined = await chunks.next()
  return streamOver(chunks, async () => {
    const result = first ?? (await chunks.next())
    first = undefined
    return result
  })
}

/** Turns streaming speech into frames (interface: Streaming speech events). A failure is the last frame. */
export function speechFrames(speech: StreamedSpeech, model: string): AsyncIterable<string> {
  return audioFrames(speech.chunks, firstFrames(speech, model))
}

/**
 * Turns audio into frames: a delta for each chunk, then the end. A failure is the last frame.
 * @param first Frames before the audio. @default none
 */
export function audioFrames(chunks: AsyncIterable<Uint8Array>, first?: string): AsyncIterable<string> {
  const source = chunks[Symbol.asyncIterator]()
  let [begun, ended] = [first === undefined, false]
  return streamOver<string>(source, async () => {
    if (ended) return END
    if (begun || first === undefined) {
      const event = await nextEvent(source)
      ended = event.type !== 'speech.audio.delta'
      return { done: false, value: eventFrame(event) }
    }
    begun = true
    return { done: false, value: first }
  })
}

function firstFrames({ taskId, format }: StreamedSpeech, model: string): string {
  const { sampleRate, channels, bitDepth } = format
  return (
    eventFrame({ type: 'task.created', task_id: taskId, object: 'audio.speech', status: 'PROCESSING', model }) +
    eventFrame({ type: 'speech.created', format: 'pcm', sample_rate: sampleRate, channels, bit_depth: bitDepth })
  )
}

async function nextEvent(source: AsyncIterator<Uint8Array>): Promise<SpeechStreamEvent> {
  try {
    const { done, value } = await source.next()
    if (done === true) return { type: 'speech.audio.done' }
    const audio = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')
    return { type: 'speech.audio.delta', audio }
  } catch (error) {
    const { code, message } = toServiceError(error)
    return { type: 'error', error: { code, message } }
  }
}
