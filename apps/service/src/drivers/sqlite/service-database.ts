import Sqlite from 'better-sqlite3'
import { type Compilable, Kysely } from 'kysely'
import { ServiceDialect } from './dialect.ts'
import type { Tables } from './tables.ts'

/** The database of the service: what kysely can ask, and a few questions that are compiled once. */
export class ServiceDatabase extends Kysely<Tables> {
  readonly #reader: Sqlite.Database

  /** @param writer A connection to a file that has its tables; it is closed with this. */
  constructor(writer: Sqlite.Database) {
    super({ dialect: new ServiceDialect(writer) })
    this.#reader = new Sqlite(writer.name, { readonly: true })
  }

  /**
   * A question that nearly every request asks. Building it anew takes ten times as long as asking it. It is asked on a
   * connection of its own, which sees what has been committed, and waits for no transaction.
   * @param query Any values: those of a call take their places, in their order.
   * @returns Asks for the first row.
   */
  prepared<Row>(query: Compilable<Row>): (...values: readonly string[]) => Row | undefined {
    const statement = this.#reader.prepare<string[], Row>(query.compile().sql)
    return (...values) => statement.get(...values)
  }

  override async destroy(): Promise<void> {
    this.#reader.close()
    await super.destroy()
  }
}
