import type { Exchange } from './exchange.ts'

/** An upload as `fetch` takes it: read only as fast as it is sent, and left when the exchange is over. */
export class UploadStream {
  readonly stream: ReadableStream<Uint8Array>
  readonly #iterator: AsyncIterator<Uint8Array>
  readonly #exchange: Exchange
  #over = false

  constructor(source: AsyncIterable<Uint8Array>, exchange: Exchange) {
    this.#iterator = source[Symbol.asyncIterator]()
    this.#exchange = exchange
    let fail: (() => void) | undefined
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          // A pending read would wait for ever.
          fail = () => controller.error(new Error('The upload was given up'))
        },
        pull: (controller) => this.#pull(controller),
        cancel: () => this.#leave(),
      },
      { highWaterMark: 0 },
    )
    exchange.onOver(() => {
      if (this.#over) return
      this.#leave()
      fail?.()
    })
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    this.#exchange.pauseHeaders()
    try {
      const { done, value } = await this.#iterator.next()
      if (this.#over) return
      if (done === true) {
        this.#over = true
        controller.close()
      } else controller.enqueue(value)
      this.#exchange.awaitHeaders()
    } catch (error) {
      // The source's own error is the one to report, not what `fetch` makes of it.
      this.#over = true
      this.#exchange.fail(error)
      throw error
    }
  }

  /** What the source says to that is of no use any more. */
  #leave(): void {
    this.#over = true
    this.#iterator.return?.().catch(() => {})
  }
}
