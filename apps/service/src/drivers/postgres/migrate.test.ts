import { expect, test } from 'vitest'
import { MIGRATIONS, type Migration } from './migrate.ts'

/** Statements that add something and leave everything else as the version before knows it. */
const EXPANDING = [
  /^CREATE (?:UNLOGGED )?(?:TABLE|INDEX|SEQUENCE|FUNCTION|TRIGGER) /,
  // A column that a program does not fill needs a value.
  /^ALTER TABLE \S+ ADD COLUMN (?:(?!NOT NULL).)+$/s,
  /^ALTER TABLE \S+ ADD COLUMN .+ NOT NULL DEFAULT .+$/s,
  /^INSERT INTO /,
  // The same event calls a function of both programs.
  /^CREATE OR REPLACE TRIGGER /,
  // A program is slower without it.
  /^DROP INDEX /,
  /^ALTER TABLE \S+ SET \(fillfactor = \d+\)$/,
]

/** Statements of a step that declares the version before to work, but may break it. */
function breaking({ statements, worksWith }: Migration, step: number): string[] {
  if (worksWith >= step) return []
  return statements
    .map((one) => one.replaceAll(/^\s*--.*$/gm, '').trim())
    .filter((one) => !EXPANDING.some((pattern) => pattern.test(one)))
}

test('a step that the version before runs beside only adds', () => {
  expect(MIGRATIONS.flatMap((migration, index) => breaking(migration, index + 1))).toEqual([])
})

test('the version before each step works with its tables: an upgrade rolls from any version to the next', () => {
  for (const [index, { worksWith }] of MIGRATIONS.entries()) expect(worksWith).toBeLessThanOrEqual(Math.max(1, index))
})

test.each([
  'ALTER TABLE svc_audio.jobs DROP COLUMN input',
  'ALTER TABLE svc_audio.jobs ADD COLUMN more text NOT NULL',
  'ALTER TABLE svc_audio.jobs RENAME COLUMN input TO source',
  'DROP FUNCTION svc_audio.claim_tasks',
  'CREATE OR REPLACE FUNCTION svc_audio.now_ms() RETURNS bigint',
])('the check refuses: %s', (statement) => {
  expect(breaking({ statements: [statement], worksWith: 1 }, 2)).toEqual([statement])
  // A step that only the new program works with may remove what no program uses.
  expect(breaking({ statements: [statement], worksWith: 2 }, 2)).toEqual([])
})
