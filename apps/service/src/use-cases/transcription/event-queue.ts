/**
 * A queue of events for one reader with its own pace. It stores unread events without a limit. Use it only for few and
 * small events.
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

  /** Ends the events. */
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
