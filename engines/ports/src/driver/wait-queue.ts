/** A queue of callers that wait for a slot. Its owner decides which caller is next. */
export class WaitQueue {
  /** The function that wakes each caller, and the caller's name. */
  readonly #tickets = new Map<() => void, string>()

  /** Number of waiting callers. */
  get length(): number {
    return this.#tickets.size
  }

  /** The distinct names of the waiting callers, in the order of their first callers. */
  get names(): ReadonlySet<string> {
    return new Set(this.#tickets.values())
  }

  /** Whether a caller of this name waits. */
  has(name: string): boolean {
    for (const its of this.#tickets.values()) if (its === name) return true
    return false
  }

  /**
   * Resolves when it is the caller's turn. The caller then has its slot and must release it, even if the signal aborts
   * right afterwards.
   * @throws The signal's reason when it aborts first. The caller then leaves the queue
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
   * Wakes the first caller, or the first caller of a name.
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
