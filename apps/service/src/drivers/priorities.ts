import { readdirSync } from 'node:fs'
import { setPriority } from 'node:os'

/** Nice value of engines and encoders. Requests come before them, at 0. */
export const ENGINE_PRIORITY = 5

/**
 * Nice value of work that other engines overtake: long recordings, and the work of tenants with more work than slots.
 * The difference leaves such work a tenth of a processor that both want.
 */
export const BACKGROUND_PRIORITY = 15

/** Lowers the priority of a process with all its threads, for good. Changes nothing where the system forbids it. */
export function lowerPriority(pid: number | undefined, priority: number): void {
  for (const id of threadsOf(pid)) attempt(() => setPriority(id, priority))
}

/**
 * Lowers the priority of the calling thread to that of background work, for good. Changes nothing on systems other than
 * Linux: their priorities belong to whole processes.
 */
export function stepThreadBack(): void {
  // On Linux, 0 means the calling thread.
  if (process.platform === 'linux') attempt(() => setPriority(0, BACKGROUND_PRIORITY))
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
