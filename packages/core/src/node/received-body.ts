import type { Dispatcher } from 'undici'
import { RELEASE_BYTES, RELEASE_TIME } from '../transport/drain.ts'
import type { ResponseBody } from '../transport/transport.ts'
import { translateError } from './translate-error.ts'

/** Bytes that wait for their reader before the connection is asked to pause. */
const MAX_WAITING = 64 * 1024

/**
 * A body as undici hands it over, for one reader. Every chunk that arrived is read before an error is, since it may hold
 * the very event which says why (interface: "an `error` frame is sent, then the connection closes").
 */
export class ReceivedBody implements ResponseBody, AsyncIterator<Uint8Array, void, undefined> {
  /** Only while more may come: it holds all that undici knows of the request, which would stay as long as the answer. */
  #controller: Dispatcher.DispatchController | undefined
  readonly #signal: AbortSignal
  #chunks: Uint8Array[] = []
  /** Bytes in `#chunks`. */
  #waiting = 0
  #end: { readonly error?: unknown } | undefined
  /** Bytes that may still come once the rest is thrown away. */
  #spare: number | undefined
  #timer: NodeJS.Timeout | undefined
  #wake: (() => void) | undefined

  /** @param signal Aborts the request; what has arrived is not read then either. */
  constructor(controller: Dispatcher.DispatchController, signal: AbortSignal) {
    this.#controller = controller
    this.#signal = signal
  }

  /** A chunk came. */
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

  /** Nothing more comes. @param end With the error that cut it, if one did. */
  finish(end: { readonly error?: unknown }): void {
    if (this.#end !== undefined) return
    this.#end = end
    this.#controller = undefined
    clearTimeout(this.#timer)
    this.#wake?.()
  }

  /** Drops what has not been read: the next read throws. */
  abort(error: unknown): void {
    if (this.#end !== undefined && this.#chunks.length === 0) return
    const controller = this.#controller
    this.#chunks = []
    this.#end = undefined
    this.finish({ error })
    controller?.abort(new Error('The body was given up'))
  }

  cancel(): void {
    this.abort(new Error('The body was given up'))
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
