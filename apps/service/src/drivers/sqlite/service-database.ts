import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { type Compilable, Kysely, sql } from 'kysely'
import type { Given } from '../sql/shared-database.ts'
import { ServiceDialect } from './dialect.ts'
import { asValue } from './kysely-statement.ts'
import type { Tables } from './tables.ts'

class GivenValue {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** The database of the service: kysely, and queries that are compiled once. */
export class ServiceDatabase extends Kysely<Tables> {
  readonly #writer: DatabaseSync
  readonly #reader: DatabaseSync
  /** Statements of transactions. */
  readonly #statements = new Map<string, StatementSync>()

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
   * Defines a query that many requests run. It runs on a separate connection, which sees committed data and waits for no
   * transaction. It is compiled and prepared now: building it takes ten times as long as running it.
   * @param build Makes the query. `given` stands for a value of the call, by its name.
   * @returns A function that runs the query with the values of a call, and returns all rows.
   */
  read<Values extends Readonly<Record<string, SQLInputValue>>, Row>(
    build: (given: Given<Values>) => Compilable<Row>,
  ): (values: Values) => Row[] {
    return prepare(this.#reader, build)
  }

  /**
   * Defines a query of the connection that writes. It is compiled and prepared at its first call: compiling a query takes
   * several times as long as running it.
   * @param build Makes the query. `given` stands for a value of the call, by its name.
   * @returns A function that runs the query with the values of a call, and returns its rows. Call it within
   * {@link atomically} or a transaction.
   */
  written<Values extends Readonly<Record<string, SQLInputValue>>, Row = unknown>(
    build: (given: Given<Values>) => Compilable<Row>,
  ): (values: Values) => Row[] {
    let prepared: ((values: Values) => Row[]) | undefined
    return (values) => (prepared ??= prepare(this.#writer, build))(values)
  }

  /**
   * Runs queries of {@link written} in one transaction. Within a transaction, they become a savepoint of it.
   * @throws What `work` throws, after everything that it wrote was undone
   */
  atomically<T>(work: () => T): Promise<T> {
    const writer = this.#writer
    // The only connection: no other transaction is open in the meantime.
    return this.connection().execute(async () => {
      const isInner = writer.isTransaction
      this.#run(isInner ? 'SAVEPOINT inner_one' : 'BEGIN IMMEDIATE')
      try {
        const value = work()
        this.#run(isInner ? 'RELEASE inner_one' : 'COMMIT')
        return value
      } catch (error) {
        // SQLite rolls back by itself when the disk is full.
        if (writer.isOpen && writer.isTransaction) {
          for (const undo of isInner ? ['ROLLBACK TO inner_one', 'RELEASE inner_one'] : ['ROLLBACK']) this.#run(undo)
        }
        throw error
      }
    })
  }

  #run(text: string): void {
    let statement = this.#statements.get(text)
    if (statement === undefined) {
      statement = this.#writer.prepare(text)
      this.#statements.set(text, statement)
    }
    statement.run()
  }

  override async destroy(): Promise<void> {
    await super.destroy()
    for (const connection of [this.#reader, this.#writer]) if (connection.isOpen) connection.close()
  }
}

/** Compiles and prepares a query. @returns A function that runs it with the values of a call. */
function prepare<Values extends Readonly<Record<string, SQLInputValue>>, Row>(
  connection: DatabaseSync,
  build: (given: Given<Values>) => Compilable<Row>,
): (values: Values) => Row[] {
  const { sql: text, parameters } = build((name) => sql`${new GivenValue(name)}`).compile()
  const statement = connection.prepare(text)
  return (values) => {
    const bound = parameters.map((one) => asValue(one instanceof GivenValue ? values[one.name] : one))
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types of the tables say what it returns
    return statement.all(...bound) as Row[]
  }
}
