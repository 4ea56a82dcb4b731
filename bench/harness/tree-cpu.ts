import { readdirSync, readFileSync } from 'node:fs'

/** Seconds of a clock tick, Linux's unit of CPU time. */
const TICK_SECONDS = 0.01

/** A process, from `/proc`. */
interface ProcessTimes {
  readonly pid: number
  readonly parent: number
  /** User and system time of the process and of its ended children, in seconds. */
  readonly seconds: number
}

/**
 * Reads the CPU time of a process with all its descendants, ended ones included, in seconds. Linux only.
 * @param root The id of the process.
 */
export function treeCpuSeconds(root: number): number {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? timesOf(Number(name)) : []))
  let seconds = 0
  const members = [root]
  for (const member of members) {
    for (const { pid, parent, seconds: own } of all) {
      if (pid === member) seconds += own
      if (parent === member) members.push(pid)
    }
  }
  return seconds
}

function timesOf(pid: number): ProcessTimes[] {
  try {
    // The name before the last parenthesis may contain spaces. Then come the state, the parent, and the times as the
    // 12th to 15th field.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(') ') + 2).split(' ')
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    return [{ pid, parent: Number(fields[1]), seconds: ticks * TICK_SECONDS }]
  } catch {
    return [] // it has ended
  }
}
