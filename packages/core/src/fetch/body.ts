import { drain } from '../transport/drain.ts'
import { type IdleTimer, webClock } from '../transport/idle-timer.ts'
import type { ResponseBody } from '../transport/transport.ts'
import type { Exchange } from './exchange.ts'

/** The body of a response from `fetch`. */
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
    void drain(
      () => this.#next(),
      () => this.#giveUp(),
      webClock,
    )
  }

  #giveUp(): void {
    this.#exchange.fail(new Error('The body was cancelled'))
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
}
