import type Sqlite from 'better-sqlite3'
import { type DatabaseConnection, type Driver, SqliteDialect, SqliteDriver } from 'kysely'

/**
 * SQLite as kysely speaks it, but for two things: a statement is prepared once, which takes longer than to run it, and
 * when the disk is full SQLite rolls a transaction back on its own, and another rollback would fail and hide why.
 */
export class ServiceDialect extends SqliteDialect {
  readonly #database: Sqlite.Database

  constructor(database: Sqlite.Database) {
    super({ database })
    this.#database = database
  }

  override createDriver(): Driver {
    return new ServiceDriver(this.#database)
  }
}

class ServiceDriver extends SqliteDriver {
  readonly #database: Sqlite.Database

  constructor(database: Sqlite.Database) {
    super({ database: { prepare: prepareOnce(database), close: () => void database.close() } })
    this.#database = database
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.inTransaction) await super.rollbackTransaction(connection)
  }
}

/** Statements that are kept. All that this service asks fit; lists of changing length (`in (?, ?, …)`) may push some out. */
const MOST_STATEMENTS = 200

/**
 * Prepares a statement when it is first asked for, and keeps it. A kept one may be run again only once its rows have
 * been read to the end: nothing here reads rows one by one.
 */
function prepareOnce(database: Sqlite.Database): (sql: string) => Sqlite.Statement {
  const statements = new Map<string, Sqlite.Statement>()
  return (sql) => {
    const kept = statements.get(sql)
    if (kept !== undefined) return kept
    const statement = database.prepare(sql)
    statements.set(sql, statement)
    const [oldest] = statements.keys()
    if (statements.size > MOST_STATEMENTS && oldest !== undefined) statements.delete(oldest)
    return statement
  }
}
