/** Wakes every waiter. Each checks whether the change concerns it. */
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
