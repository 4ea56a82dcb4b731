import type { IdleTimer } from '../transport/idle-timer.ts'
import type { ResponseBody } from '../transport/transport.ts'
import { webClock } from './clock.ts'
import type { Exchange } from './exchange.ts'

/** Bytes that may be read and thrown away to keep a connection. */
const RELEASE_BYTES = 64 * 1024

/** How long the end of a body may take to keep its connection. */
const RELEASE_MILLISECONDS = 1000

/** The body of an answer that `fetch` brings. */
export class FetchBody implements ResponseBody {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  readonly #exchange: Exchange
  readonly #idle: IdleTimer
  #released = false

  constructor(body: ReadableStream<Uint8Array> | null, exchange: Exchange, idleTimeout: number) {
    this.#reader = body?.getReader()
    this.#exchange = exchange
    this.#idle = exchange.timer('idle', idleTimeout)
    if (body === null) exchange.finish()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (let chunk = await this.#next(); chunk !== undefined; chunk = await this.#next()) yield chunk
    } finally {
      this.cancel()
    }
  }

  cancel(): void {
    if (!this.#released) this.#giveUp()
  }

  release(): void {
    this.#released = true
    void this.#drain()
  }

  #giveUp(): void {
    this.#exchange.fail(new Error('The body was given up'))
  }

  /** The next chunk; `undefined` at the end. */
  async #next(): Promise<Uint8Array | undefined> {
    if (this.#reader === undefined) return undefined
    this.#idle.begin()
    try {
      const { done, value } = await this.#reader.read()
      if (!done) {
        this.#idle.pause()
        return value
      }
      this.#idle.stop()
      this.#exchange.finish()
      return undefined
    } catch (error) {
      this.#idle.stop()
      const failure = this.#exchange.failureOf(error)
      this.#exchange.fail(failure)
      throw failure
    }
  }

  /** Reads to the end if that is near. */
  async #drain(): Promise<void> {
    const clear = webClock.setTimer(RELEASE_MILLISECONDS, () => this.#giveUp())
    try {
      for (let bytes = 0; bytes <= RELEASE_BYTES;) {
        const chunk = await this.#next()
        if (chunk === undefined) return
        bytes += chunk.byteLength
      }
      this.#giveUp()
    } catch {
      // The connection is gone, and nobody waits for it.
    } finally {
      clear()
    }
  }
}
