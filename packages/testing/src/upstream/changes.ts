/** Makes waits look again after each change. */
export class Changes {
  readonly #waiting = new Set<() => void>()

  /** Wakes every wait. */
  notify(): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const wake of waiting) wake()
  }

  /**
   * Resolves with the result of `look`, now or after a later {@link Changes.notify}. Rejects with the error of `look`,
   * or with the signal's reason.
   */
  async until<Found>(look: () => Found | undefined, signal?: AbortSignal): Promise<Found> {
    for (;;) {
      signal?.throwIfAborted()
      const found = look()
      if (found !== undefined) return found
      await this.#change(signal)
    }
  }

  #change(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake)
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      this.#waiting.add(wake)
      signal?.addEventListener('abort', wake, { once: true })
    })
  }
}
