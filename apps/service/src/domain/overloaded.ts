import { errorCode } from './error-code.ts'

/** Codes of the system for a process or a machine without free file descriptors. */
const CODES: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE'])

/** Whether an error or one of its causes is a lack of file descriptors. */
export function isOutOfDescriptors(error: unknown): boolean {
  let cause = error
  // A longer chain of causes is a circle.
  for (let depth = 0; depth < 10 && cause instanceof Error; depth += 1) {
    if (CODES.has(errorCode(cause))) return true
    cause = cause.cause
  }
  return false
}
