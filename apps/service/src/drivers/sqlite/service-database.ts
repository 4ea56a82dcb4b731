import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { type Compilable, Kysely, type RawBuilder, sql } from 'kysely'
import { ServiceDialect } from './dialect.ts'
import type { Tables } from './tables.ts'

/** The database of the service: what kysely can ask, and a few questions that are compiled once. */
export class ServiceDatabase extends Kysely<Tables> {
  readonly #writer: DatabaseSync
  readonly #reader: DatabaseSync

  /**
   * Both connections are closed with this.
   * @param writer A connection to a file that has its tables.
   * @param reader Another one to the same file, to read only.
   */
  constructor(writer: DatabaseSync, reader: DatabaseSync) {
    super({ dialect: new ServiceDialect(writer) })
    this.#writer = writer
    this.#reader = reader
  }

  /**
   * A question that many requests ask. Building it again takes ten times as long as asking it. It is asked on a
   * connection of its own, which sees what has been committed, and waits for no transaction.
   * @param query Any values: those of a call take their places, in their order.
   * @returns Asks for all rows. It throws a RangeError when there are more or fewer values than places.
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
 * The limit of a prepared query, to be given with each call. SQLite plans for a limit that is nothing but a value, and so
 * it would prepare the statement again at each call: ten times the work. A sum it takes as it comes.
 */
export const LIMIT_OF_CALL: RawBuilder<number> = sql<number>`${0} + 0`
