import { flag, integer, optional, positive } from '#options'
import { Changes } from '../upstream/changes.ts'
import { checkOptions } from '../upstream/checks.ts'
import {
  chunksOf,
  type Exchange,
  happy,
  headersOf,
  type HttpReply,
  isHttp,
  type Reply,
  resolveResponse,
  type ResponseFunction,
  type ScriptedResponse,
} from '../upstream/reply.ts'
import { sleep } from './waits.ts'

/**
 * Sends the start of a response, then closes the connection. The head still states the full length.
 * @param options `reset` sends `RST` instead of `FIN`; the client may then lose unread bytes.
 */
export function cut(
  options: AfterBytes & { readonly reset?: boolean } = {},
  response: ScriptedResponse = happy,
): ResponseFunction {
  checkOptions('cut()', options, { afterBytes: optional(integer(0, 'bytes')), reset: optional(flag) })
  return changed(response, (reply) =>
    beginning(reply, options.afterBytes ?? 0, options.reset === true ? 'reset' : 'close'),
  )
}

/**
 * Replaces a response's body. Status and type stay.
 * @param what The bytes, or a seed for 1,000 bytes, identical in every run. @default 1
 */
export function garbage(what: Uint8Array | number = 1, response: ScriptedResponse = happy): ResponseFunction {
  const body = typeof what === 'number' ? noise(1000, what) : what
  return changed(response, (reply) => {
    const { 'content-length': _, ...headers } = headersOf(reply)
    return { ...reply, headers, body }
  })
}

/**
 * States a wrong length, and closes the connection after the body.
 * @param delta Added to the true length: above 0 the body seems cut, below 0 bytes are left over.
 */
export function wrongLength(delta: number, response: ScriptedResponse = happy): ResponseFunction {
  return changed(response, async (reply) => {
    const body = await wholeBody(reply)
    const length = Math.max(0, body.byteLength + delta)
    return { ...reply, headers: { ...headersOf(reply), 'content-length': String(length) }, body, finish: 'close' }
  })
}

/**
 * An endless event stream of keep-alive comments without any event.
 * @param options `every`: milliseconds between two comments, 10 by default. `count`: comments before they stop too,
 * without an end by default.
 */
export function comments(options: { readonly every?: number; readonly count?: number } = {}): ResponseFunction {
  checkOptions('comments()', options, {
    every: optional(positive('milliseconds')),
    count: (value) => (value === Infinity ? undefined : optional(integer(0))(value)),
  })
  const { every = 10, count = Infinity } = options
  return ({ signal }) => ({
    headers: { 'content-type': 'text/event-stream; charset=utf-8' },
    body: keepAlive(every, count, signal),
    finish: 'stall',
  })
}

/**
 * Closes the connection before the first byte of a response.
 * @param options `reset` sends `RST`; `early` does not wait for the request's body.
 */
export function dropConnection(options: { readonly reset?: boolean; readonly early?: boolean } = {}): ResponseFunction {
  checkOptions('dropConnection()', options, { reset: optional(flag), early: optional(flag) })
  return (exchange) => {
    if (options.early === true) exchange.respondEarly()
    return { drop: options.reset === true ? 'reset' : 'close' }
  }
}

function changed(
  response: ScriptedResponse,
  change: (reply: HttpReply) => HttpReply | Promise<HttpReply>,
): ResponseFunction {
  return async (exchange) => {
    const reply = await resolveResponse(response, exchange)
    return isHttp(reply) ? change(reply) : reply
  }
}

function beginning(reply: HttpReply, bytes: number, finish: 'close' | 'reset'): HttpReply {
  return { ...reply, headers: headersOf(reply), body: take(chunksOf(reply), bytes), finish }
}

async function* take(chunks: AsyncIterable<Uint8Array>, bytes: number): AsyncGenerator<Uint8Array, void, undefined> {
  let left = bytes
  if (left === 0) return
  for await (const chunk of chunks) {
    yield chunk.subarray(0, left)
    left -= chunk.byteLength
    if (left <= 0) return
  }
}

async function wholeBody(reply: HttpReply): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of chunksOf(reply)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

async function* keepAlive(every: number, count: number, signal: AbortSignal): AsyncGenerator<Uint8Array, void, void> {
  for (let sent = 0; sent < count; sent += 1) {
    yield Buffer.from(': keep-alive\n\n')
    await sleep(every, signal)
  }
}

/** Bytes that never form JSON, an event or an audio header: none is printable. */
function noise(bytes: number, seed: number): Uint8Array {
  let state = seed
  return Uint8Array.from({ length: bytes }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return 0x80 | (state >>> 24)
  })
}

/** Options of {@link stall} and `cut`. */
export interface AfterBytes {
  /** Bytes of the body to send first. @default 0, the head only */
  readonly afterBytes?: number
}

/** A stalled response. */
export interface StalledResponse {
  (exchange: Exchange): Promise<Reply>
  /** Sends the rest, to every current and later request. */
  release(): void
}

/**
 * Sends the start of a response, then nothing until the test calls `release()`. The connection stays open. If the body
 * is no longer than `afterBytes`, only its end is missing.
 */
export function stall(options: AfterBytes = {}, response: ScriptedResponse = happy): StalledResponse {
  checkOptions('stall()', options, { afterBytes: optional(integer(0, 'bytes')) })
  const { afterBytes = 0 } = options
  const changes = new Changes()
  let released: true | undefined
  const stalled = async (exchange: Exchange): Promise<Reply> => {
    const reply = await resolveResponse(response, exchange)
    if (!isHttp(reply)) return reply
    const wait = async (): Promise<void> => void (await changes.until(() => released, exchange.signal))
    return { ...reply, headers: headersOf(reply), body: interrupted(chunksOf(reply), afterBytes, wait) }
  }
  return Object.assign(stalled, {
    release: (): void => {
      released = true
      changes.notify()
    },
  })
}

async function* interrupted(
  chunks: AsyncIterable<Uint8Array>,
  bytes: number,
  wait: () => Promise<void>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let left = bytes
  for await (const chunk of chunks) {
    // After the release, bytes are no longer counted.
    if (chunk.byteLength >= left) {
      yield chunk.subarray(0, left)
      await wait()
      yield chunk.subarray(left)
      left = Infinity
    } else {
      yield chunk
      left -= chunk.byteLength
    }
  }
  if (left < Infinity) await wait()
}
