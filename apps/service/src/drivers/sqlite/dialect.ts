import type Sqlite from 'better-sqlite3'
import { type DatabaseConnection, type Driver, SqliteDialect, SqliteDriver } from 'kysely'

/**
 * SQLite as kysely speaks it, but for one thing: when the disk is full SQLite rolls a transaction back on its own, and
 * another rollback would fail and hide why.
 */
export class ServiceDialect extends SqliteDialect {
  readonly #database: Sqlite.Database

  constructor(database: Sqlite.Database) {
    super({ database })
    this.#database = database
  }

  override createDriver(): Driver {
    return new RollbackOnceDriver(this.#database)
  }
}

class RollbackOnceDriver extends SqliteDriver {
  readonly #database: Sqlite.Database

  constructor(database: Sqlite.Database) {
    super({ database })
    this.#database = database
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.inTransaction) await super.rollbackTransaction(connection)
  }
}
