import type { Clock } from '../domain/clock.ts'
import { SUSPECT_CRASHES } from '../ports/task-store.ts'

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

/**
 * Time after the start in which no suspect runs, in milliseconds. A service that crashes within it has another cause, and
 * its crash counts against no suspect.
 */
export const CALM_MS = 5000

/**
 * Time for other tasks between two turns of suspects, time of a turn, and time that a suspect runs alone, in
 * milliseconds. With each further crash, the suspect runs alone for twice as long.
 */
export const TURN_MS = 30_000

/** Interval of looks for a moment without other tasks, in milliseconds. */
const LOOK_MS = 500

/** What the loop reads of a claim. */
interface Suspect {
  readonly crashes: number
}

/** Options of {@link SuspectLoop}. */
interface SuspectLoopOptions<Claim extends Suspect> {
  readonly clock: Clock
  /** Counts the suspects that have not ended. */
  readonly count: () => Promise<number>
  /** Claims the next suspect. */
  readonly claim: () => Promise<Claim | undefined>
  /** Does its work. */
  readonly work: (claim: Claim) => Promise<void>
  /** Other tasks may be claimed again. */
  readonly onOpen: () => void
  readonly onError: (error: unknown) => void
}

/**
 * Runs the tasks that were running at several crashes of the process: one at a time, and no other task beside it. The
 * one that crashes the process is then known. Other tasks run before, between and after. It starts when it is
 * constructed, and ends with the last suspect.
 */
export class SuspectLoop<Claim extends Suspect> {
  readonly #options: SuspectLoopOptions<Claim>
  /** Running tasks, and claims in flight. */
  #others = 0
  #isClosed = false
  #isStopped = false
  /** Ends the current wait. */
  #wake: () => void = () => {}
  #waitsForQuiet = false
  readonly #ended: Promise<void>

  constructor(options: SuspectLoopOptions<Claim>) {
    this.#options = options
    this.#ended = this.#run().finally(() => this.#open())
  }

  /**
   * Lets another task be claimed and run.
   * @returns Call it when the task is no longer in the process, or there was none. `undefined` while a suspect runs alone.
   */
  enter(): (() => void) | undefined {
    if (this.#isClosed) return undefined
    this.#others += 1
    return () => {
      this.#others -= 1
      if (this.#others === 0 && this.#waitsForQuiet) this.#wake()
    }
  }

  /** Claims no more. Resolves when the running suspect has ended or is back in the queue. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#wake()
    await this.#ended
  }

  async #run(): Promise<void> {
    const { clock } = this.#options
    if ((await this.#count()) === 0) return
    await this.#sleep(CALM_MS)
    let openedAt = clock.now()
    let patience = TURN_MS
    while (!this.#isStopped && (await this.#count()) > 0) {
      if (this.#others > 0 && clock.now() < openedAt + TURN_MS) {
        await this.#sleep(LOOK_MS)
        continue
      }
      this.#isClosed = true
      if (this.#others > 0) await this.#sleep(patience, { untilQuiet: true })
      // Long tasks run: the next wait for their end is longer.
      if (this.#others > 0) patience *= 2
      const ran = this.#others === 0 && (await this.#turn())
      this.#open()
      openedAt = clock.now()
      if (!ran) await this.#sleep(LOOK_MS)
    }
  }

  /** Runs suspects one after the other. @returns Whether there was one */
  async #turn(): Promise<boolean> {
    const { clock, claim, onError } = this.#options
    const until = clock.now() + TURN_MS
    let ran = false
    while (!this.#isStopped && (!ran || clock.now() < until)) {
      const suspect = await claim().catch(onError)
      if (suspect === undefined) return ran
      ran = true
      await this.#runAlone(suspect)
    }
    return ran
  }

  /** Resolves when the suspect has ended. Others run beside one that takes long. */
  async #runAlone(suspect: Claim): Promise<void> {
    const { clock, work, onError } = this.#options
    const alone = TURN_MS * 2 ** (suspect.crashes - SUSPECT_CRASHES)
    const cancel = clock.setTimer(alone, () => this.#open())
    await work(suspect).catch(onError)
    cancel()
  }

  async #count(): Promise<number> {
    try {
      return await this.#options.count()
    } catch (error) {
      this.#options.onError(error)
      // Looks again later.
      return 1
    }
  }

  #open(): void {
    this.#isClosed = false
    this.#options.onOpen()
  }

  /** Waits until the stop at most. @param options.untilQuiet Whether it ends when no other task is running. @default false */
  async #sleep(milliseconds: number, { untilQuiet = false }: { readonly untilQuiet?: boolean } = {}): Promise<void> {
    if (this.#isStopped) return
    this.#waitsForQuiet = untilQuiet
    const { promise, resolve } = Promise.withResolvers<void>()
    const cancel = this.#options.clock.setTimer(milliseconds, resolve)
    this.#wake = resolve
    await promise
    cancel()
  }
}
