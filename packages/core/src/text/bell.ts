/** Wakes every waiter. Each waiter then checks its condition. */
export class Bell {
  #next: PromiseWithResolvers<void> = Promise.withResolvers()

  /** Resolves at the next ring. */
  get rung(): Promise<void> {
    return this.#next.promise
  }

  ring(): void {
    const rung = this.#next
    this.#next = Promise.withResolvers()
    rung.resolve()
  }
}
