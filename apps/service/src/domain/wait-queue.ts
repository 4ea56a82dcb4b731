/** Where one waits for what there is too little of, in the order of coming. Who hands it out says whose turn it is. */
export class WaitQueue {
  /** How each is told, and its name. */
  readonly #tickets = new Map<() => void, string>()

  /** How many wait. */
  get length(): number {
    return this.#tickets.size
  }

  /** The names of those who wait, each once, in the order of its first. */
  get names(): ReadonlySet<string> {
    return new Set(this.#tickets.values())
  }

  /**
   * Resolves at one's turn. Who has been told has it, also when the signal aborts right after that, and gives back
   * itself what it got.
   * @throws The signal's reason, when it aborts before; the place in the line is given up.
   */
  async wait(signal: AbortSignal, name = ''): Promise<void> {
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<undefined>()
    const ticket = (): void => resolve(undefined)
    const onAbort = (): void => {
      if (this.#tickets.delete(ticket)) reject(signal.reason)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    this.#tickets.set(ticket, name)
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  /**
   * Tells the first one, or the first of a name, that it is its turn.
   * @returns Whether there was one.
   */
  next(name?: string): boolean {
    for (const [ticket, its] of this.#tickets) {
      if (name !== undefined && its !== name) continue
      this.#tickets.delete(ticket)
      ticket()
      return true
    }
    return false
  }
}
