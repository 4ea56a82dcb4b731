/** A queue of callers that wait for a place. Its owner decides who is next. */
export class WaitQueue {
  /** How each caller is told, and its name. */
  readonly #tickets = new Map<() => void, string>()

  /** How many callers wait. */
  get length(): number {
    return this.#tickets.size
  }

  /** The names of the waiting callers, each once, in the order of its first caller. */
  get names(): ReadonlySet<string> {
    return new Set(this.#tickets.values())
  }

  /**
   * Resolves when it is the caller's turn. The caller then has its place, also when the signal aborts right after that,
   * and must release it itself.
   * @throws The signal's reason, when it aborts before; the place in the queue is free again
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
   * Tells the first caller, or the first one of a name, that it is its turn.
   * @returns Whether a caller waited.
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
