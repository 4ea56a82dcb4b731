/** Maximum tasks to remember. The oldest are removed first. */
const MAX_TASKS = 10_000

/**
 * The earliest next read of tasks without a wait. A wait that times out and resumes at once must not read sooner than
 * the `retry_after` of the last response.
 */
export class RetryAfterCache {
  readonly #moments = new Map<string, number>()

  /** Stores a future moment. */
  rest(id: string, moment: number, now: number): void {
    for (const [oldest, until] of this.#moments) {
      if (until > now && this.#moments.size < MAX_TASKS) break
      this.#moments.delete(oldest)
    }
    if (moment > now) this.#moments.set(id, moment)
  }

  /** Removes a task. @returns its moment, or 0 */
  wake(id: string): number {
    const moment = this.#moments.get(id) ?? 0
    this.#moments.delete(id)
    return moment
  }
}
