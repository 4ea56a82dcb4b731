/** Most tasks that are remembered; the oldest go first. */
const MAX_TASKS = 10_000

/**
 * Tasks that nobody waits for at present, and when the server wants to be asked for them again: a wait that times out and
 * is taken up at once must not ask sooner than the `retry_after` of the last answer.
 */
export class RetryAfterCache {
  readonly #moments = new Map<string, number>()

  /** Remembers a moment that is still to come. */
  rest(id: string, moment: number, now: number): void {
    for (const [oldest, until] of this.#moments) {
      if (until > now && this.#moments.size < MAX_TASKS) break
      this.#moments.delete(oldest)
    }
    if (moment > now) this.#moments.set(id, moment)
  }

  /** Forgets a task. @returns the moment, 0 when there is none */
  wake(id: string): number {
    const moment = this.#moments.get(id) ?? 0
    this.#moments.delete(id)
    return moment
  }
}
