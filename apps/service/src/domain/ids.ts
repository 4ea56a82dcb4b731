import { randomBytes } from 'node:crypto'
import { wallClockNow } from './clock.ts'

/** Digits of the time in an id: 48 bits of milliseconds, enough until the year 10889. */
const TIME_DIGITS = 12

/**
 * Creates an id: a prefix that names its kind, the time in milliseconds, and 80 unguessable random bits. Ids in the order
 * of their making stand side by side in an index of a database, so a claim reads and writes pages that the one before it
 * has used.
 */
export function newId(prefix: string): string {
  const time = Math.floor(wallClockNow()).toString(16).padStart(TIME_DIGITS, '0')
  return `${prefix}_${time}${randomBytes(10).toString('hex')}`
}

/** Returns the current time in whole Unix seconds, as the interface counts time. */
export function unixSeconds(): number {
  return Math.floor(wallClockNow() / 1000)
}
