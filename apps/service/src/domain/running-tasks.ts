import type { Clock } from './clock.ts'
import { type WorkClass, workClassOf } from './task-kinds.ts'

/** The tasks that this process works on. Who ends a task from outside stops its work here. */
export class RunningTasks {
  readonly #stops = new Map<string, () => void>()
  readonly #ends = new Set<Promise<void>>()

  /**
   * Enters a task.
   * @param stop Stops the work. It is called at most once.
   * @returns Removes the task.
   */
  enter(taskId: string, stop: () => void): () => void {
    this.#stops.set(taskId, stop)
    return () => {
      if (this.#stops.get(taskId) === stop) this.#stops.delete(taskId)
    }
  }

  /** Holds the end of the service until work on a task has settled. */
  holdEnd(work: Promise<unknown>): void {
    const settled = work.then(
      () => void this.#ends.delete(settled),
      () => void this.#ends.delete(settled),
    )
    this.#ends.add(settled)
  }

  /** Waits for the ends that are held. */
  async ended(): Promise<void> {
    while (this.#ends.size > 0) await Promise.all(this.#ends)
  }

  /** Stops the work on a task, if this process works on it. */
  stop(taskId: string): void {
    const stop = this.#stops.get(taskId)
    this.#stops.delete(taskId)
    stop?.()
  }
}

/** Pause of a work class after a stall, in milliseconds. Each further stall without a success between doubles it. */
export const FIRST_PAUSE_MS = 10_000

/** Longest pause, in milliseconds. */
const LONGEST_PAUSE_MS = 300_000

/** Failed attempts at different tasks in a row that pause a work class: the process may be the cause. */
const FAILURES_IN_A_ROW = 3

/** A work class that has stalled. */
interface Pause {
  readonly until: number
  readonly length: number
}

/**
 * Counts the tasks of this process that made no progress, and the work of them that does not end. A work class with a
 * stall, or with {@link FAILURES_IN_A_ROW} failures of the service in a row, claims nothing for a while: this process
 * may be the cause, and another one shall have the tasks.
 */
export class StalledWork {
  readonly #clock: Clock
  readonly #stalls = new Map<string, number>()
  readonly #abandoned = new Map<string, number>()
  /** The kinds that have paused their work class. */
  readonly #kinds = new Set<string>()
  readonly #pauses = new Map<WorkClass, Pause>()
  /** The tasks of each work class that have failed since its last success. */
  readonly #failed = new Map<WorkClass, Set<string>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Counts a task that made no progress. */
  countStall(kind: string): void {
    add(this.#stalls, kind, 1)
    this.#pause(kind)
  }

  /** Counts an attempt at a task that failed because of the service. Attempts at one task count once. */
  countFailure(kind: string, taskId: string): void {
    const failed = this.#failed.get(workClassOf(kind)) ?? new Set()
    this.#failed.set(workClassOf(kind), failed.add(taskId))
    if (failed.size >= FAILURES_IN_A_ROW) this.#pause(kind)
  }

  #pause(kind: string): void {
    this.#kinds.add(kind)
    const now = this.#clock.now()
    const before = this.#pauses.get(workClassOf(kind))
    // Tasks that stall together are one stall of the work class.
    if (before !== undefined && now < before.until) return
    const length = before === undefined ? FIRST_PAUSE_MS : Math.min(2 * before.length, LONGEST_PAUSE_MS)
    this.#pauses.set(workClassOf(kind), { until: now + length, length })
  }

  /** A task has succeeded: its engine works. */
  countSuccess(kind: string): void {
    this.#pauses.delete(workClassOf(kind))
    this.#failed.delete(workClassOf(kind))
  }

  /**
   * Counts work that does not end in spite of its abort.
   * @returns Call it when the work has ended after all.
   */
  abandon(kind: string): () => void {
    add(this.#abandoned, kind, 1)
    return () => add(this.#abandoned, kind, -1)
  }

  /** Whether the work class of a kind claims nothing after a stall. */
  isPaused(kind: string): boolean {
    return this.#clock.now() < (this.#pauses.get(workClassOf(kind))?.until ?? 0)
  }

  /** Tasks that made no progress since the start, by kind. */
  get stalls(): ReadonlyMap<string, number> {
    return this.#stalls
  }

  /** Pieces of abandoned work that still run, by kind. */
  get abandoned(): ReadonlyMap<string, number> {
    return this.#abandoned
  }

  /** Pieces of abandoned work of these kinds. */
  abandonedOf(kinds: Iterable<string>): number {
    return [...kinds].reduce((sum, kind) => sum + (this.#abandoned.get(kind) ?? 0), 0)
  }

  /** The kinds that are paused or have abandoned work. */
  get stuck(): readonly string[] {
    return [...this.#kinds].filter((kind) => this.isPaused(kind) || this.abandonedOf([kind]) > 0)
  }
}

function add(counts: Map<string, number>, kind: string, amount: number): void {
  counts.set(kind, (counts.get(kind) ?? 0) + amount)
}
