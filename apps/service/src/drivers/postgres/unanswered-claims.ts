import { randomUUID } from 'node:crypto'

/**
 * Time for which a claim without a response is looked for, in milliseconds. It exceeds a lease and the longest statement:
 * such a claim has no effect any more, or another worker has its job.
 */
const SEARCH_MS = 60_000

/**
 * Gives each claim an id, and returns what a claim without a response has claimed: before the next claim, so that the job
 * neither waits for the end of a lease that nobody holds nor loses an attempt. A claim may still be on its way when the
 * next one begins. It is therefore looked for until it is found, or {@link SEARCH_MS} have passed.
 */
export class UnansweredClaims {
  readonly #giveBack: (ids: readonly string[]) => Promise<readonly string[]>
  readonly #clock: () => number
  /** When the search for each claim ends. */
  readonly #lost = new Map<string, number>()

  /**
   * @param giveBack Returns the jobs of claims to the queue. Resolves to the claims that had some
   * @param clock Milliseconds of a steady clock. @default that of the process
   */
  constructor(
    giveBack: (ids: readonly string[]) => Promise<readonly string[]>,
    clock: () => number = () => performance.now(),
  ) {
    this.#giveBack = giveBack
    this.#clock = clock
  }

  /** Makes a claim. @throws What the claim throws, or the return of an earlier one */
  async claim<T>(call: (id: string) => Promise<T>): Promise<T> {
    if (this.#lost.size > 0) await this.#search()
    const id = randomUUID()
    try {
      return await call(id)
    } catch (error) {
      this.#lost.set(id, this.#clock() + SEARCH_MS)
      throw error
    }
  }

  async #search(): Promise<void> {
    for (const id of await this.#giveBack([...this.#lost.keys()])) this.#lost.delete(id)
    for (const [id, end] of this.#lost) if (end <= this.#clock()) this.#lost.delete(id)
  }
}
