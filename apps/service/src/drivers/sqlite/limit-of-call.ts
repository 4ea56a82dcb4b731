import { type RawBuilder, sql } from 'kysely'

/**
 * The limit of a prepared query, to be given with each call. SQLite plans for a limit that is nothing but a value, and so
 * it would prepare the statement anew at each call: ten times the work. A sum it takes as it comes.
 */
export const LIMIT_OF_CALL: RawBuilder<number> = sql<number>`${0} + 0`
