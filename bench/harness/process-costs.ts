import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/** The process to read: its id, or this process. */
type Looked = number | 'self'

/** Seconds of a clock tick, Linux's unit of CPU time. */
const TICK_SECONDS = 0.01

/**
 * Memory of a process as Linux reports it: resident now (`VmRSS`), or the peak (`VmHWM`), in bytes.
 * @returns `undefined` when Linux does not report it
 */
export function memoryOf(looked: Looked, field: 'VmRSS' | 'VmHWM'): number | undefined {
  const [, size] =
    new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${looked}/status`, 'utf8')) ?? []
  return size === undefined ? undefined : Number(size) * 1024
}

/**
 * Largest resident size of this process so far, in bytes. `resourceUsage().maxRSS` starts with the parent's peak on
 * Linux, which would hide a small client. `VmHWM` is this process's own.
 */
export function peakMemory(): number {
  const own = process.platform === 'linux' ? memoryOf('self', 'VmHWM') : undefined
  return own ?? process.resourceUsage().maxRSS * 1024
}

/** Resets the peak memory of a process to its resident memory. Linux only: elsewhere the peak covers the whole life. */
export function forgetPeak(looked: Looked = 'self'): void {
  if (process.platform === 'linux') writeFileSync(`/proc/${looked}/clear_refs`, '5')
}

/** User and system time of this process, all threads, since `before`, in seconds. @default since its start */
export function ownCpuSeconds(before?: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

/** User and system time of a process without its descendants, in seconds. Linux only. */
export function cpuSecondsOf(pid: number): number {
  return timesOf(pid)[0]?.own ?? NaN
}

/** CPU time of a process with all its descendants, ended ones included, in seconds. Linux only. */
export function treeCpuSeconds(root: number): number {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? timesOf(Number(name)) : []))
  let seconds = 0
  const members = [root]
  for (const member of members) {
    for (const { pid, parent, own, children } of all) {
      if (pid === member) seconds += own + children
      if (parent === member) members.push(pid)
    }
  }
  return seconds
}

/** A process, from `/proc`. Nothing when it has ended. */
function timesOf(pid: number): { pid: number; parent: number; own: number; children: number }[] {
  try {
    // The name before the last parenthesis may contain spaces. Then come the state, the parent, and the times of the
    // process and of its ended children as the 12th to 15th field.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat
      .slice(stat.lastIndexOf(') ') + 2)
      .split(' ')
      .map(Number)
    const [user = 0, system = 0, userOfEnded = 0, systemOfEnded = 0] = fields.slice(11, 15)
    const own = (user + system) * TICK_SECONDS
    return [{ pid, parent: fields[1] ?? 0, own, children: (userOfEnded + systemOfEnded) * TICK_SECONDS }]
  } catch {
    return []
  }
}
