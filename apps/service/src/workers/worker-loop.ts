import type { Clock } from '../domain/clock.ts'

/** Options of {@link WorkerLoop}. */
export interface WorkerLoopOptions<Claim> {
  /** Maximum claims in work at once. */
  readonly size: number
  /** Claims the next work. */
  readonly claim: () => Promise<Claim | undefined>
  /** Does the work. Its errors go to `onError`. */
  readonly work: (claim: Claim) => Promise<void>
  readonly onError: (error: unknown) => void
  readonly clock: Clock
  /** Interval of polls for work that was not announced, in milliseconds. @default 1000 */
  readonly pollInterval?: number
}

/** Claims work and does it, a bounded number at once. It starts when it is constructed. */
export class WorkerLoop<Claim> {
  readonly #options: WorkerLoopOptions<Claim>
  readonly #running = new Set<Promise<void>>()
  #filling: Promise<void> | undefined
  #woken = false
  #stopped = false
  #cancelPoll: (() => void) | undefined

  constructor(options: WorkerLoopOptions<Claim>) {
    this.#options = options
    this.#poll()
  }

  /** Announces possible work. */
  wake(): void {
    this.#woken = true
    if (this.#stopped || this.#filling !== undefined || this.#isFull()) return
    this.#filling = this.#fill().finally(() => {
      this.#filling = undefined
      // A wake-up may have come after the last claim.
      if (this.#woken) this.wake()
    })
  }

  /** Claims no more work. Resolves when all claimed work is done. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancelPoll?.()
    await this.#filling
    await Promise.all(this.#running)
  }

  /** Claims work until no work or no slot is left. */
  async #fill(): Promise<void> {
    const { claim, onError } = this.#options
    try {
      while (!this.#stopped && !this.#isFull()) {
        this.#woken = false
        const claimed = await claim()
        // Work claimed after the stop runs too. It notices the stop itself, and returns its task to the queue.
        if (claimed !== undefined) this.#start(claimed)
        else if (!this.#woken) return
      }
    } catch (error) {
      // Claim again only at the next poll.
      this.#woken = false
      onError(error)
    }
  }

  #isFull(): boolean {
    return this.#running.size >= this.#options.size
  }

  #start(claimed: Claim): void {
    const done = this.#do(claimed).finally(() => {
      this.#running.delete(done)
      this.wake()
    })
    this.#running.add(done)
  }

  async #do(claimed: Claim): Promise<void> {
    try {
      await this.#options.work(claimed)
    } catch (error) {
      this.#options.onError(error)
    }
  }

  #poll(): void {
    const { clock, pollInterval = 1000 } = this.#options
    this.#cancelPoll = clock.setTimer(pollInterval, () => this.#poll())
    this.wake()
  }
}
