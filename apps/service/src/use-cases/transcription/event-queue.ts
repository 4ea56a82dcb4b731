/**
 * Events from anyone who makes them to one reader at its own pace. It holds what was not read yet, without a limit: it is
 * for events that are few and small beside what they are made of.
 */
export class EventQueue<Event> implements AsyncIterable<Event> {
  #waiting: Event[] = []
  #over = false
  #wake: () => void = () => undefined

  /** Adds an event. */
  push(...events: readonly Event[]): void {
    this.#waiting.push(...events)
    this.#wake()
  }

  /** Says that no more will come. */
  end(): void {
    this.#over = true
    this.#wake()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void, undefined> {
    for (;;) {
      const events = this.#waiting
      this.#waiting = []
      yield* events
      if (this.#waiting.length > 0) continue
      if (this.#over) return
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}
