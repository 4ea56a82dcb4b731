import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { greeting } from './program.ts'

const ADDRESS = 'http://127.0.0.1:8787'

test.each(['joe', 'thorsten'])(
  'the first start prints a command that speaks with the new key and the voice %s',
  (voice) => {
    const made = { newApiKey: 'svca_1', newWebhookSecret: 'whsec_1', firstVoiceId: voice }
    const text = greeting({ url: ADDRESS, ...made }, '/data')
    expect(text).toContain(`  address  ${ADDRESS}\n`)
    expect(text).toContain('  API key  svca_1\n')
    const command = text.split('\n').find((line) => line.startsWith('  curl ')) ?? ''
    expect(command).toContain(`curl ${ADDRESS}/v1/audio/speech -fsS --retry 9 -H 'authorization: Bearer svca_1'`)
    const [, body = ''] = /-d '(.+)' -o hello\.mp3$/.exec(command) ?? []
    expect(JSON.parse(body)).toEqual({ model: 'svc-tts-1.5-flash', voice_id: voice, input: 'Hello there.' })
  },
)

test('a later start prints neither a key nor a command', () => {
  const text = greeting(
    { url: ADDRESS, newApiKey: undefined, newWebhookSecret: undefined, firstVoiceId: 'joe' },
    '/data',
  )
  expect(text).toBe(`svc-audio service is ready\n  address  ${ADDRESS}\n  docs     ${ADDRESS}/docs\n  data     /data\n`)
})

const MODULE = JSON.stringify(new URL('./program.ts', import.meta.url).href)
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
