import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { MIGRATIONS } from '../../src/drivers/postgres/migrations.ts'
import { readFunction } from '../../src/drivers/postgres/sql-file.ts'
import { openPglite } from './stores.ts'

const FOLDER = join(import.meta.dirname, '../../src/drivers/postgres/functions')
const NAMES = globSync('*.sql', { cwd: FOLDER }).map((path) => basename(path, '.sql'))

test('PostgreSQL parses each function file, which makes the function of its name', async () => {
  const database = await openPglite()
  const { rows } = await sql<{ name: string }>`
    SELECT proname AS name FROM pg_proc WHERE pronamespace = 'svc_audio'::regnamespace`.execute(database)
  await database.destroy()
  expect(rows.map(({ name }) => name).toSorted()).toEqual(NAMES.toSorted())
})

test('each function file belongs to one step of the migrations, and no step has a function of its own', () => {
  const statements = MIGRATIONS.flatMap((migration) => migration.statements)
  const made = statements.filter((statement) => /^CREATE (OR REPLACE )?FUNCTION/.test(statement))
  expect(made.toSorted()).toEqual(NAMES.map(readFunction).toSorted())
})
