import { DatabaseSync } from 'node:sqlite'
import type { BudgetStore } from '../../src/index.ts'

const TABLE =
  'create table if not exists budgets (counter text primary key, total real not null, expires_at text not null)'

const ADD = `insert into budgets values (?, ?, ?)
  on conflict (counter) do update set total = total + excluded.total
  returning total`

/** A store that the processes of one machine share: one statement adds and reads. */
export function sqliteBudgetStore(file: string): BudgetStore & { close(): void } {
  const database = new DatabaseSync(file, { timeout: 30_000 })
  database.exec(TABLE)
  const statement = database.prepare(ADD)
  return {
    async add(counter, amount, { expiresAt }) {
      return Number(statement.get(counter, amount, expiresAt.toISOString())?.['total'])
    },
    close: () => database.close(),
  }
}
