import type { Dispatcher } from 'undici'
import { ConnectionError } from '../errors.ts'
import { codeOf, isUnsent, namedFailure, RELEASE_BYTES, RELEASE_TIME, type ResponseBody } from '../transport/index.ts'

/** Bytes to buffer before the connection is paused. */
const MAX_WAITING = 64 * 1024

/**
 * A body from undici, for one reader. The reader gets every chunk that arrived before it gets an error: the chunk may
 * contain the event with the reason (interface: "an `error` frame is sent, then the connection closes").
 */
export class ReceivedBody implements ResponseBody, AsyncIterator<Uint8Array, void, undefined> {
  /** Set only until the end. It keeps undici's state of the request alive. */
  #controller: Dispatcher.DispatchController | undefined
  readonly #signal: AbortSignal
  #chunks: Uint8Array[] = []
  /** Bytes in `#chunks`. */
  #waiting = 0
  #end: { readonly error?: unknown } | undefined
  /** Bytes that may still arrive after {@link ReceivedBody.release}. */
  #spare: number | undefined
  #timer: NodeJS.Timeout | undefined
  #wake: (() => void) | undefined

  /** @param signal Aborts the request. Buffered chunks are then dropped. */
  constructor(controller: Dispatcher.DispatchController, signal: AbortSignal) {
    this.#controller = controller
    this.#signal = signal
  }

  /** Adds a chunk. */
  add(chunk: Uint8Array): void {
    if (this.#end !== undefined) return
    if (this.#spare === undefined) {
      this.#chunks.push(chunk)
      this.#waiting += chunk.byteLength
      if (this.#waiting >= MAX_WAITING) this.#controller?.pause()
      this.#wake?.()
    } else {
      this.#spare -= chunk.byteLength
      if (this.#spare < 0) this.cancel()
    }
  }

  /** Ends the body. @param end with the error that cut it, if any */
  finish(end: { readonly error?: unknown }): void {
    if (this.#end !== undefined) return
    this.#end = end
    this.#controller = undefined
    clearTimeout(this.#timer)
    this.#wake?.()
  }

  /** Drops the unread chunks. The next read throws. */
  abort(error: unknown): void {
    if (this.#end !== undefined && this.#chunks.length === 0) return
    const controller = this.#controller
    this.#chunks = []
    this.#end = undefined
    this.finish({ error })
    controller?.abort(new Error('The body was cancelled'))
  }

  cancel(): void {
    this.abort(new Error('The body was cancelled'))
  }

  release(): void {
    this.#spare = RELEASE_BYTES - this.#waiting
    this.#chunks = []
    if (this.#end !== undefined) return
    this.#timer = setTimeout(() => this.cancel(), RELEASE_TIME)
    this.#controller?.resume()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<Uint8Array, void>> {
    if (this.#chunks.length > 0 || this.#end !== undefined) return this.#take()
    return new Promise<void>((resolve) => (this.#wake = resolve)).then(() => this.next())
  }

  async return(): Promise<IteratorResult<Uint8Array, void>> {
    this.cancel()
    return { done: true, value: undefined }
  }

  async #take(): Promise<IteratorResult<Uint8Array, void>> {
    this.#signal.throwIfAborted()
    const value = this.#chunks.shift()
    if (value !== undefined) {
      this.#waiting -= value.byteLength
      if (this.#waiting < MAX_WAITING) this.#controller?.resume()
      return { done: false, value }
    }
    if (this.#end !== undefined && 'error' in this.#end) throw translateError(this.#end.error)
    return { done: true, value }
  }
}

/**
 * Translates an error of undici: a passed deadline, a connection that was never established, or the error unchanged.
 */
export function translateError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const named = namedFailure(error, 'raise maxHeaderSize of nodeTransport()')
  if (named !== undefined) return named
  // Node tries every address of a name, and joins the errors.
  const errors: unknown[] = error instanceof AggregateError ? error.errors : [error]
  if (!errors.every(isUnsent)) return error
  return new ConnectionError(`${error.message || error.name} (${codeOf(error)})`, { cause: error, maybeSent: false })
}
