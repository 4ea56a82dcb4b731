import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Clock } from '../domain/clock.ts'

/** Time after which a silent stream says that it lives, in milliseconds: proxies cut connections after 30 s or more. */
const KEEP_ALIVE_MS = 15_000

/** One server-sent event: `data:` lines only, the type is in the JSON (interface: Events). */
export function eventFrame(event: object): string {
  return `data: ${JSON.stringify(event)}\n\n`
}

/** Sends frames as server-sent events. */
export function sendEvents(reply: FastifyReply, frames: AsyncIterable<string>): FastifyReply {
  return (
    reply
      .header('content-type', 'text/event-stream; charset=utf-8')
      .header('cache-control', 'no-cache, no-transform')
      // nginx would hold the events back otherwise.
      .header('x-accel-buffering', 'no')
      .send(Readable.from(frames, { objectMode: false }))
  )
}

/** The events as frames, with a comment wherever none has come for a while. */
export async function* liveFrames(
  events: AsyncIterable<object>,
  clock: Clock,
): AsyncGenerator<string, void, undefined> {
  const source = events[Symbol.asyncIterator]()
  try {
    let next = source.next()
    for (;;) {
      const result = await within(KEEP_ALIVE_MS, next, clock)
      if (result?.done === true) return
      if (result === undefined) yield ': keep-alive\n\n'
      else {
        yield eventFrame(result.value)
        next = source.next()
      }
    }
  } finally {
    await source.return?.()
  }
}

/** What comes of it, or `undefined` when that takes longer. */
async function within<T>(milliseconds: number, work: Promise<T>, clock: Clock): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>()
  const cancel = clock.setTimer(milliseconds, () => late.resolve(undefined))
  try {
    return await Promise.race([work, late.promise])
  } finally {
    cancel()
  }
}
