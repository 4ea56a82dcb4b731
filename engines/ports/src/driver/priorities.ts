import { readdirSync } from 'node:fs'
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
