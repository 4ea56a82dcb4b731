import type { Exchange } from './exchange.ts'

/** An upload for `fetch`. It is read only as fast as it is sent. Its source is closed when the exchange ends. */
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
          // Otherwise a pending read waits forever.
          fail = () => controller.error(new Error('The upload was cancelled'))
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
      // Report the source's error, not the error that `fetch` wraps it in.
      this.#over = true
      this.#exchange.fail(error)
      throw error
    }
  }

  /** An error of the source no longer matters. */
  #leave(): void {
    this.#over = true
    this.#iterator.return?.().catch(() => {})
  }
}
