import { createHash } from 'node:crypto'

/** A name for a user that is safe as a folder or a marker. */
export function userKey(user: string): string {
  return createHash('sha256').update(user).digest('hex').slice(0, 32)
}
