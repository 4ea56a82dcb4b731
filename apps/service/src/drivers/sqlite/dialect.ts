import type { DatabaseSync } from 'node:sqlite'
import {
  type DatabaseConnection,
  type Driver,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type SqliteStatement,
} from 'kysely'
import { KyselyStatement } from './kysely-statement.ts'

/**
 * SQLite as kysely speaks it, but for two things: a statement is prepared once, which takes longer than to run it, and
 * when the disk is full SQLite rolls a transaction back on its own, and another rollback would fail and hide why.
 */
export class ServiceDialect extends SqliteDialect {
  readonly #connection: DatabaseSync
  readonly #database: SqliteDatabase

  /** @param connection What everything is asked on. Anyone who opened it closes it. */
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

  constructor(connection: DatabaseSync, database: SqliteDatabase) {
    super({ database })
    this.#connection = connection
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // One that was closed in the meantime has rolled back too.
    if (this.#connection.isOpen && this.#connection.isTransaction) await super.rollbackTransaction(connection)
  }
}

/** Statements that are stored. All that this service asks fit; lists of changing length (`in (?, ?, …)`) may push some out. */
const MOST_STATEMENTS = 200

/**
 * Prepares a statement when it is first asked for, and keeps it. A stored one may be run again only once its rows have
 * been read to the end: nothing here reads rows one by one.
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
