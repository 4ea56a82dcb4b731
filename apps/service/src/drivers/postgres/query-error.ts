import { errorCode } from '../../domain/error-code.ts'
import { DatabaseUnavailableError, OutcomeUnknownError } from '../../domain/errors.ts'

/**
 * Errors of a server that cannot work now, by SQLSTATE: it only reads, as a standby does; it has no disk, memory or
 * connections left; it cancelled the statement; the statement waited too long for a lock, or in a circle; its disk
 * fails. The statement had no effect.
 */
const UNABLE = /^(?:25006|53|57014|55P03|40001|40P01|58)/

/** SQLSTATEs of a server that stops or closes the connection. Others at this severity are mistakes in the set-up. */
const CLOSING = /^(?:08|57P|25P03)/

/**
 * Whether a connection has ended with this error: the driver lost it, or the server closed it. An error of a statement
 * has a severity below `FATAL`.
 */
export function isLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (!('severity' in error)) return true
  return error.severity === 'FATAL' || error.severity === 'PANIC' || CLOSING.test(errorCode(error))
}

/** Whether the server answered that it is read-only: another host of the address may be the primary. */
export function isReadOnly(error: unknown): boolean {
  return errorCode(error) === '25006'
}

/**
 * Names the outcome of a failed query.
 * @param stores Whether the query makes a change durable by itself: a commit, or a write outside a transaction.
 * @returns OutcomeUnknownError if such a change may have been stored; DatabaseUnavailableError if nothing was stored and
 * the database is the cause; any other error unchanged
 */
export function outcomeOf(error: unknown, stores: boolean): unknown {
  if (isLost(error))
    return stores ? new OutcomeUnknownError({ cause: error }) : new DatabaseUnavailableError({ cause: error })
  return UNABLE.test(errorCode(error)) ? new DatabaseUnavailableError({ cause: error }) : error
}
