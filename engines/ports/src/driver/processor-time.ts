import { readdirSync, readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'

/** Nice value of engines and encoders. Requests come before them, at 0. */
export const ENGINE_PRIORITY = 5

/**
 * Nice value of work that other engines overtake: long recordings, and the work of tenants with more work than slots.
 * The difference leaves such work a tenth of a processor that both want.
 */
export const BACKGROUND_PRIORITY = 15

/** Nice values, from 0 to 19. */
export interface Priorities {
  /** Of engines and encoders. */
  readonly engine: number
  /** Of background work, at least `engine`. */
  readonly background: number
}

/** The nice values without a setting. */
export const DEFAULT_PRIORITIES: Priorities = { engine: ENGINE_PRIORITY, background: BACKGROUND_PRIORITY }

/**
 * Checks nice values.
 * @throws RangeError naming the value
 */
export function checkPriorities({ engine, background }: Priorities): void {
  if (!isNice(engine)) throw new RangeError(`engineNice must be an integer from 0 to 19, got ${engine}`)
  if (isNice(background) && background >= engine) return
  throw new RangeError(`backgroundNice must be an integer from engineNice (${engine}) to 19, got ${background}`)
}

function isNice(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= 19
}

const BACKGROUND_KEY = 'svc-audio background priority'

/** Sets the nice value of background work for the threads that this one starts from now on. */
export function setBackgroundPriority(value: number): void {
  setEnvironmentData(BACKGROUND_KEY, value)
}

/** Lowers the priority of a process with all its threads, for good. Changes nothing where the system forbids it. */
export function lowerPriority(pid: number | undefined, priority: number): void {
  for (const id of threadsOf(pid)) attempt(() => setPriority(id, priority))
}

/**
 * Lowers the priority of the calling thread to that of background work, for good. Changes nothing on systems other than
 * Linux: their priorities belong to whole processes.
 */
export function stepThreadBack(): void {
  const set = getEnvironmentData(BACKGROUND_KEY)
  const priority = typeof set === 'number' ? set : BACKGROUND_PRIORITY
  // On Linux, 0 means the calling thread.
  if (process.platform === 'linux') attempt(() => setPriority(0, priority))
}

/** On Linux, each thread has a priority. A new thread starts with that of its maker. */
function threadsOf(pid: number | undefined): readonly number[] {
  if (pid === undefined) return []
  if (process.platform !== 'linux') return [pid]
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number)
  } catch {
    // The process has ended.
    return []
  }
}

function attempt(change: () => void): void {
  try {
    change()
  } catch {
    // The thread has ended, or the system forbids it.
  }
}

/** Below this share of the time, the threads of a process neither worked nor waited for a processor. */
const ASLEEP = 0.05

/** Options of {@link ScheduledTime}. */
export interface ScheduledTimeOptions {
  /** Whether the process starts now: the first measurement then counts from its start. @default false */
  readonly young?: boolean
  /** Folder that tells the times of threads, for tests. @default '/proc' */
  readonly proc?: string
  /** Clock in milliseconds, for tests. @default `performance.now` */
  readonly now?: () => number
}

/** Times of a thread, in milliseconds. */
interface ThreadTimes {
  readonly worked: number
  /** Time in which it could have worked, and another thread had the processor. */
  readonly waited: number
}

/**
 * Measures how much of the time a process was given: the rest of the time it waited for a processor that other programs
 * used, or for the disk. A process that sleeps, or is stopped, had all of the time.
 *
 * Only Linux tells. Elsewhere every process had all of the time.
 */
export class ScheduledTime {
  readonly #threads: () => readonly string[]
  readonly #now: () => number
  #measured: boolean
  #before = new Map<string, ThreadTimes>()
  #at: number

  /**
   * @param pid The process.
   * @param which Its main thread, or all its threads together. @default 'all'
   */
  constructor(
    pid: number,
    which: 'main' | 'all' = 'all',
    { young = false, proc = '/proc', now = () => performance.now() }: ScheduledTimeOptions = {},
  ) {
    const folder = `${proc}/${pid}/task`
    this.#threads =
      which === 'main' ? () => [`${folder}/${pid}`] : () => readdirSync(folder).map((id) => `${folder}/${id}`)
    this.#now = now
    this.#at = now()
    this.#measured = young
  }

  /** @returns The share of the time since the last call that counts, from 0 to 1. The first call returns 1. */
  share(): number {
    if (process.platform !== 'linux') return 1
    const [before, since] = [this.#before, this.#at]
    this.#at = this.#now()
    const passed = this.#at - since
    try {
      let [worked, waited] = [0, 0]
      const current = new Map<string, ThreadTimes>()
      for (const thread of this.#threads()) {
        const times = timesOf(thread)
        current.set(thread, times)
        const earlier = before.get(thread) ?? UNBORN
        worked += times.worked - earlier.worked
        waited += times.waited - earlier.waited
        // The system counts a wait at its end.
        if (times.worked === earlier.worked && times.waited === earlier.waited && wants(thread)) waited += passed
      }
      this.#before = current
      const measured = this.#measured
      this.#measured = true
      return measured ? shareOf(worked, waited, passed) : 1
    } catch {
      // The process has ended, or the system does not tell.
      return 1
    }
  }
}

function shareOf(worked: number, waited: number, passed: number): number {
  return worked + waited < passed * ASLEEP ? 1 : worked / (worked + waited)
}

/** A thread before its start. */
const UNBORN: ThreadTimes = { worked: 0, waited: 0 }

/** `schedstat`: nanoseconds running and in the queue for a processor. */
function timesOf(thread: string): ThreadTimes {
  const [worked, waited] = readFileSync(`${thread}/schedstat`, 'utf8').split(' ', 2).map(Number)
  if (worked === undefined || waited === undefined) throw new TypeError(`${thread}/schedstat cannot be read`)
  return { worked: worked / 1e6, waited: waited / 1e6 }
}

/** Whether a thread could work (`R`), or waits for the disk (`D`). The name before the state may have any character. */
function wants(thread: string): boolean {
  const stat = readFileSync(`${thread}/stat`, 'utf8')
  return /[RD]/.test(stat.charAt(stat.lastIndexOf(')') + 2))
}
