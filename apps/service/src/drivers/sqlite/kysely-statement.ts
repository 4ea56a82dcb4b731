import type { SQLInputValue, StatementResultingChanges, StatementSync } from 'node:sqlite'
import type { SqliteStatement } from 'kysely'

/** Adapts a statement of `node:sqlite` to kysely. */
export class KyselyStatement implements SqliteStatement {
  /** Whether the statement returns rows. */
  readonly reader: boolean
  readonly #statement: StatementSync

  constructor(statement: StatementSync) {
    this.reader = statement.columns().length > 0
    this.#statement = statement
  }

  all(parameters: readonly unknown[]): unknown[] {
    return this.#statement.all(...parameters.map(asValue))
  }

  run(parameters: readonly unknown[]): StatementResultingChanges {
    return this.#statement.run(...parameters.map(asValue))
  }

  iterate(parameters: readonly unknown[]): IterableIterator<unknown> {
    return this.#statement.iterate(...parameters.map(asValue))
  }
}

/**
 * Checks a value of a query. Node's versions handle other types differently.
 * @throws TypeError unless it is text, a number or null
 */
export function asValue(value: unknown): SQLInputValue {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint')
    return value
  throw new TypeError(`A value for SQLite must be text, a number or null, not ${typeof value}`)
}
