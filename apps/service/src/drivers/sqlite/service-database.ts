import type { DatabaseSync, SQLInputValue, StatementResultingChanges, StatementSync } from 'node:sqlite'
import {
  type Compilable,
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type Generated,
  Kysely,
  sql,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type SqliteStatement,
} from 'kysely'
import { wallClockNow } from '../../domain/clock.ts'
import type { WorkClass } from '../../domain/task-kinds.ts'
import type { TaskKind } from '../../ports/task-store.ts'
import type { Given, SharedDatabase, SharedTables } from '../sql/shared-database.ts'
import type { CommonTables } from '../sql/tables.ts'

/** Tables of the database. Only this service writes them, and they are strict: rows have exactly these types. */
export interface Tables extends CommonTables {
  /** Work to do: a row for each task that has not ended. */
  readonly jobs: {
    readonly sequence: Generated<number>
    readonly task_id: string
    readonly tenant: string
    /** The kind of the task. Empty for a stream. */
    readonly kind: TaskKind | ''
    /** Null for a stream. */
    readonly request: string | null
    readonly input: string | null
    token: number
    attempts: number
    due_ms: number
    lease_ms: number | null
    readonly created_ms: number
    /** Estimated processor time, in milliseconds. */
    readonly cost: number
    /** Crashes of the process while it worked on the task. */
    crashes: Generated<number>
    /** Those of them at which the task ran alone, as a suspect. */
    interruptions: Generated<number>
  }
  /** What the tenant of the last claim had spent before it. */
  readonly work_classes: { readonly work_class: WorkClass; reached: number }
}

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

/**
 * The shared stores' view of SQLite.
 * @param now Milliseconds since 1970. @default the time of the service
 */
export function shareSqlite(database: ServiceDatabase, now: () => number = wallClockNow): SharedDatabase {
  return {
    tables: database.$pickTables<keyof SharedTables>(),
    now: () => sql<number>`CAST(${now()} AS INTEGER)`,
    // A transaction is alone: there is one connection that writes.
    lockKey: async () => undefined,
    read: (build) => database.read(build),
  }
}

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
function asValue(value: unknown): SQLInputValue {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint')
    return value
  throw new TypeError(`A value for SQLite must be text, a number or null, not ${typeof value}`)
}

/**
 * A kysely dialect for SQLite with three changes. It prepares each statement once, because preparing takes longer than
 * running. It expects that SQLite rolls back by itself when the disk is full: a second rollback would fail and hide the
 * reason. And a transaction inside an open one is a savepoint, so that many transactions can be committed together.
 */
class ServiceDialect extends SqliteDialect {
  readonly #connection: DatabaseSync
  readonly #database: SqliteDatabase

  /** @param connection Runs every statement. Its opener closes it. */
  constructor(connection: DatabaseSync) {
    const database: SqliteDatabase = { prepare: prepareOnce(connection), close: () => {} }
    super({ database })
    this.#connection = connection
    this.#database = database
  }

  override createDriver(): Driver {
    return new ServiceDriver(this.#connection, this.#database)
  }
}

class ServiceDriver extends SqliteDriver {
  readonly #connection: DatabaseSync
  /** Kysely runs one transaction at a time on its only connection. */
  #isInner = false

  constructor(connection: DatabaseSync, database: SqliteDatabase) {
    super({ database })
    this.#connection = connection
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    this.#isInner = this.#connection.isTransaction
    await (this.#isInner ? run(connection, 'savepoint inner_one') : super.beginTransaction(connection))
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await (this.#isInner ? run(connection, 'release inner_one') : super.commitTransaction(connection))
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // A connection that was closed in the meantime has rolled back too.
    if (!this.#connection.isOpen || !this.#connection.isTransaction) return
    if (!this.#isInner) return super.rollbackTransaction(connection)
    await run(connection, 'rollback to inner_one')
    await run(connection, 'release inner_one')
  }
}

async function run(connection: DatabaseConnection, statement: string): Promise<void> {
  await connection.executeQuery(CompiledQuery.raw(statement))
}

/**
 * Number of stored statements. All queries of the service fit. Lists of changing length (`in (?, ?, …)`) may push some
 * out.
 */
const MOST_STATEMENTS = 200

/**
 * Prepares a statement at its first use and stores it. A stored statement may run again only after its rows were read
 * to the end, so nothing here reads rows one by one.
 */
function prepareOnce(connection: DatabaseSync): (text: string) => SqliteStatement {
  const statements = new Map<string, SqliteStatement>()
  return (text) => {
    const known = statements.get(text)
    if (known !== undefined) return known
    const statement = new KyselyStatement(connection.prepare(text))
    statements.set(text, statement)
    const [oldest] = statements.keys()
    if (statements.size > MOST_STATEMENTS && oldest !== undefined) statements.delete(oldest)
    return statement
  }
}
