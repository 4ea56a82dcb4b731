import { readFileSync, writeFileSync } from 'node:fs'
import { KB } from './units.ts'

/**
 * Largest resident size of this process so far, in bytes. Linux lets `resourceUsage().maxRSS` begin with the peak of the
 * process that started this one, which would hide a small client behind the command; its `VmHWM` is this process's own.
 */
export function peakMemory(): number {
  const own =
    process.platform === 'linux' ? /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) : null
  return (own === null ? process.resourceUsage().maxRSS : Number(own[1])) * KB
}

/** Lets {@link peakMemory} begin anew with what is resident now. Linux only: elsewhere the peak stays that of the whole life. */
export function forgetPeak(): void {
  if (process.platform === 'linux') writeFileSync('/proc/self/clear_refs', '5')
}
