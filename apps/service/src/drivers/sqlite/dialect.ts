import type { DatabaseSync } from 'node:sqlite'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type SqliteStatement,
} from 'kysely'
import { KyselyStatement } from './kysely-statement.ts'

/**
 * A kysely dialect for SQLite with three changes. It prepares each statement once, because preparing takes longer than
 * running. It expects that SQLite rolls back by itself when the disk is full: a second rollback would fail and hide the
 * reason. And a transaction inside an open one is a savepoint, so that many transactions can be committed together.
 */
export class ServiceDialect extends SqliteDialect {
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
function prepareOnce(connection: DatabaseSync): (sql: string) => SqliteStatement {
  const statements = new Map<string, SqliteStatement>()
  return (sql) => {
    const kept = statements.get(sql)
    if (kept !== undefined) return kept
    const statement = new KyselyStatement(connection.prepare(sql))
    statements.set(sql, statement)
    const [oldest] = statements.keys()
    if (statements.size > MOST_STATEMENTS && oldest !== undefined) statements.delete(oldest)
    return statement
  }
}
