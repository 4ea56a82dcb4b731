import { randomBytes } from 'node:crypto'

/** A new id: 128 random bits that nobody can guess, with a prefix that tells people what it is. */
export function newId(prefix: string): string {
  return `${prefix}_${randomBytes(16).toString('hex')}`
}

/** Now, as the interface counts time: whole Unix seconds. */
export function unixSeconds(): number {
  return Math.floor(Date.now() / 1000)
}
