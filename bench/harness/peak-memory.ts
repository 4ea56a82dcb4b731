import { readFileSync, writeFileSync } from 'node:fs'
import { KB } from './units.ts'

/** The process to read: its id, or this process. */
type Looked = number | 'self'

/**
 * Memory of a process as Linux reports it: resident now (`VmRSS`), or the peak (`VmHWM`), in bytes.
 * @returns `undefined` when Linux does not report it
 */
export function memoryOf(looked: Looked, field: 'VmRSS' | 'VmHWM'): number | undefined {
  const [, size] =
    new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${looked}/status`, 'utf8')) ?? []
  return size === undefined ? undefined : Number(size) * KB
}

/**
 * Largest resident size of this process so far, in bytes. `resourceUsage().maxRSS` starts with the parent's peak on
 * Linux, which would hide a small client. `VmHWM` is this process's own.
 */
export function peakMemory(): number {
  const own = process.platform === 'linux' ? memoryOf('self', 'VmHWM') : undefined
  return own ?? process.resourceUsage().maxRSS * KB
}

/** Resets the peak memory of a process to its resident memory. Linux only: elsewhere the peak covers the whole life. */
export function forgetPeak(looked: Looked = 'self'): void {
  if (process.platform === 'linux') writeFileSync(`/proc/${looked}/clear_refs`, '5')
}
