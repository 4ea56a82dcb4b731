import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { END, streamOver } from '@svc-audio/engine-ports/driver'
import type { Clock } from '../domain/clock.ts'

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
