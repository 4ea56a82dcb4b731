import { readdirSync } from 'node:fs'
import { getPriority } from 'node:os'

/** Whether each thread has a priority. Elsewhere all threads of a process share one. */
export const threadsHavePriorities: boolean = process.platform === 'linux'

/** The nice values of the threads of a process, sorted and without repetition. */
export function prioritiesOf(pid: number): number[] {
  const values = readdirSync(`/proc/${pid}/task`).map((id) => getPriority(Number(id)))
  return [...new Set(values)].toSorted((one, other) => one - other)
}
