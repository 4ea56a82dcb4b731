import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { type Compilable, Kysely, type RawBuilder, sql } from 'kysely'
import { ServiceDialect } from './dialect.ts'
import type { Tables } from './tables.ts'

/** The database of the service: kysely, and queries that are compiled once. */
export class ServiceDatabase extends Kysely<Tables> {
  readonly #writer: DatabaseSync
  readonly #reader: DatabaseSync

  /**
   * Takes both connections and closes them with itself.
   * @param writer A connection to a file that has its tables.
   * @param reader A second, read-only connection to the same file.
   */
  constructor(writer: DatabaseSync, reader: DatabaseSync) {
    super({ dialect: new ServiceDialect(writer) })
    this.#writer = writer
    this.#reader = reader
  }

  /**
   * Prepares a query that many requests run. Building it takes ten times as long as running it. It runs on a separate
   * connection, which sees committed data and waits for no transaction.
   * @param query Any values: the values of a call replace them in order.
   * @returns A function that runs the query and returns all rows. It throws a RangeError when the number of values
   * differs.
   */
  prepared<Row>(query: Compilable<Row>): (...values: readonly SQLInputValue[]) => Row[] {
    const { sql: text, parameters } = query.compile()
    const statement = this.#reader.prepare(text)
    return (...values) => {
      if (values.length !== parameters.length) throw new RangeError(`There are ${parameters.length} values in: ${text}`)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types of the tables say what it selects
      return statement.all(...values) as Row[]
    }
  }

  override async destroy(): Promise<void> {
    await super.destroy()
    for (const connection of [this.#reader, this.#writer]) if (connection.isOpen) connection.close()
  }
}

/**
 * The limit of a prepared query. Each call passes its value. SQLite plans for a limit that is a plain value, so each
 * call would prepare the statement again, at ten times the cost. SQLite does not plan for a sum.
 */
export const LIMIT_OF_CALL: RawBuilder<number> = sql<number>`${0} + 0`
