import { randomBytes } from 'node:crypto'
import { calendarNow } from './calendar.ts'

/** Creates an id: 128 unguessable random bits, with a prefix that names its kind. */
export function newId(prefix: string): string {
  return `${prefix}_${randomBytes(16).toString('hex')}`
}

/** Returns the current time in whole Unix seconds, as the interface counts time. */
export function unixSeconds(): number {
  return Math.floor(calendarNow() / 1000)
}
