import { readFileSync, writeFileSync } from 'node:fs'
import { KB } from './units.ts'

/** A process that is looked at: its number, or this one. */
type Looked = number | 'self'

/**
 * What Linux tells of the memory of a process: resident now (`VmRSS`), or at most so far (`VmHWM`), in bytes.
 * @returns `undefined` when it does not say
 */
export function memoryOf(looked: Looked, field: 'VmRSS' | 'VmHWM'): number | undefined {
  const [, size] =
    new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${looked}/status`, 'utf8')) ?? []
  return size === undefined ? undefined : Number(size) * KB
}

/**
 * Largest resident size of this process so far, in bytes. Linux lets `resourceUsage().maxRSS` begin with the peak of the
 * process that started this one, which would hide a small client behind the command; its `VmHWM` is this process's own.
 */
export function peakMemory(): number {
  const own = process.platform === 'linux' ? memoryOf('self', 'VmHWM') : undefined
  return own ?? process.resourceUsage().maxRSS * KB
}

/** Resets the peak memory of a process to its resident memory. Linux only: elsewhere the peak covers the whole life. */
export function forgetPeak(looked: Looked = 'self'): void {
  if (process.platform === 'linux') writeFileSync(`/proc/${looked}/clear_refs`, '5')
}
