import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const MODULE = JSON.stringify(new URL('./sqlite-warning.ts', import.meta.url).href)
const WARN =
  "process.emitWarning('SQLite is an experimental feature and might change at any time', 'ExperimentalWarning')"

/** The output of a program that hides the warning and then runs `code`. */
async function printed(
  script: string,
  ...options: string[]
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const program = `const { hideSqliteWarning } = await import(${MODULE}); hideSqliteWarning(); ${script}`
  return promisify(execFile)(process.execPath, [...options, '--input-type=module', '--eval', program])
}

test('the warning of SQLite is not printed', async () => {
  expect(await printed(WARN)).toEqual({ stdout: '', stderr: '' })
})

test('another listener receives it', async () => {
  const { stdout, stderr } = await printed(`process.on('warning', ({ name }) => console.log(name)); ${WARN}`)
  expect({ stdout, stderr }).toEqual({ stdout: 'ExperimentalWarning\n', stderr: '' })
})

test('every other warning is printed once', async () => {
  const { stderr } = await printed(`
    process.emitWarning('Streams are an experimental feature', 'ExperimentalWarning')
    process.emitWarning('SQLite is full')
    process.emitWarning('SQLite is old', 'DeprecationWarning', 'DEP1')`)
  expect(stderr.match(/ExperimentalWarning: Streams are/g)).toHaveLength(1)
  expect(stderr.match(/Warning: SQLite is full/g)).toHaveLength(1)
  expect(stderr.match(/\[DEP1\] DeprecationWarning: SQLite is old/g)).toHaveLength(1)
})

test('a program started without warnings prints none', async () => {
  expect(await printed("process.emitWarning('old')", '--no-warnings')).toEqual({ stdout: '', stderr: '' })
})
