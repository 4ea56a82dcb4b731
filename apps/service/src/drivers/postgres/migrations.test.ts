import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { MIGRATIONS, type Migration } from './migrations.ts'

/** Statements that add something and leave everything else as older programs know it. */
const EXPANDING = [
  /^CREATE (?:UNLOGGED )?(?:TABLE|INDEX|SEQUENCE|FUNCTION|TRIGGER) /,
  // A column that an older program does not fill needs a value.
  /^ALTER TABLE \S+ ADD COLUMN (?:(?!NOT NULL).)+$/s,
  /^ALTER TABLE \S+ ADD COLUMN .+ NOT NULL DEFAULT .+$/s,
  /^INSERT INTO /,
  // The same event calls a function of both programs.
  /^CREATE OR REPLACE TRIGGER /,
  // Older programs are slower without it.
  /^DROP INDEX /,
  /^ALTER TABLE \S+ SET \(fillfactor = \d+\)$/,
]

/** Statements of a step that declares older programs to work, but may break them. */
function breaking({ statements, worksWith }: Migration, step: number): string[] {
  if (worksWith >= step) return []
  return statements.map((one) => one.trim()).filter((one) => !EXPANDING.some((pattern) => pattern.test(one)))
}

test('a step that older programs run beside only adds', () => {
  expect(MIGRATIONS.flatMap((migration, index) => breaking(migration, index + 1))).toEqual([])
})

test('the program before each step works with its tables: an upgrade rolls from any version to the next', () => {
  for (const [index, { worksWith }] of MIGRATIONS.entries()) expect(worksWith).toBeLessThanOrEqual(Math.max(1, index))
})

test.each([
  'ALTER TABLE svc_audio.jobs DROP COLUMN input',
  'ALTER TABLE svc_audio.jobs ADD COLUMN more text NOT NULL',
  'ALTER TABLE svc_audio.jobs RENAME COLUMN input TO source',
  'DROP FUNCTION svc_audio.claim_task_1',
  'CREATE OR REPLACE FUNCTION svc_audio.now_ms() RETURNS bigint',
])('the check refuses: %s', (statement) => {
  expect(breaking({ statements: [statement], worksWith: 1 }, 2)).toEqual([statement])
  // A step that only the new program works with may remove what no program uses.
  expect(breaking({ statements: [statement], worksWith: 2 }, 2)).toEqual([])
})

// A new step adds a line here. A changed line would be a step that older databases have run in another form.
test('the statements of a released step never change', () => {
  const sums = MIGRATIONS.map(({ statements }) => hash('sha256', JSON.stringify(statements)).slice(0, 16))
  expect(sums).toEqual([
    '329d4ddd63f70c9f',
    '899bb981e1b00fa0',
    '46d136ae81913cd3',
    '0b7e0d2cb3d93e1f',
    '4b74dfe8724d4a60',
    'dc0b0ecca894d8f9',
    'aac53a9bcff61e62',
    '490e558f85e36276',
    'd692a753b1a16af7',
    '114df1541471d62a',
    '15c35e51178b83a9',
    'b9f34ae1ddfff79f',
    'c1d0e67dd0c5a219',
    'bd4eebc574714a8e',
  ])
})
