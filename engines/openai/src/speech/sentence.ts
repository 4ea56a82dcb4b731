/**
 * The audio of one sentence while it arrives. It is read at the server's pace and waits here for its reader, so a slow
 * reader keeps no connection.
 */
export class Sentence {
  readonly #chunks: Uint8Array[] = []
  #state: { readonly ended: boolean; readonly error?: unknown } = { ended: false }
  #wake: (() => void) | undefined

  /** Adds a chunk. */
  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk)
    this.#wake?.()
  }

  /** Ends the sentence. @param error Why it is not complete. @default it is complete */
  end(error?: unknown): void {
    if (this.#state.ended) return
    this.#state = error === undefined ? { ended: true } : { ended: true, error }
    this.#wake?.()
  }

  /** Yields the chunks. Throws the error of {@link Sentence.end} behind them. */
  async *read(): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      const chunk = this.#chunks.shift()
      if (chunk !== undefined) {
        yield chunk
        continue
      }
      if (this.#state.error !== undefined) throw this.#state.error
      if (this.#state.ended) return
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}
