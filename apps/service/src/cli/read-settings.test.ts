import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readCommand } from './command.ts'
import { configName, readConfigFile, readSettings, settingsSchema } from './read-settings.ts'
import { listSettings } from './settings.ts'

const SCHEMA = new URL('../../settings.schema.json', import.meta.url)
const PAGE = new URL('../../docs/configuration.md', import.meta.url)

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-audio-config-'))
  path = join(folder, 'audio.json')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const write = (value: unknown): void =>
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value, undefined, 2))
const fromFile = () => readSettings({ config: path }, {})

test('the configuration file takes numbers, words, booleans, lists and the schema', () => {
  write({
    $schema: 'any',
    port: 8080,
    host: '::1',
    'max-upload-mb': '10',
    'requests-per-minute': 'none',
    'delete-after-success': true,
    'trust-proxy': ['10.0.0.5', '10.1.0.0/16'],
    'api-keys': ['acme:a-key-of-acme', 'other:a-key-of-other'],
    'metrics-token': '',
  })
  expect(fromFile()).toMatchObject({
    port: 8080,
    host: '::1',
    maxUploadBytes: 10 * 1024 * 1024,
    requestsPerMinute: Infinity,
    deleteAfterSuccess: true,
    trustProxy: ['10.0.0.5', '10.1.0.0/16'],
    apiKeys: new Map([
      ['a-key-of-acme', 'acme'],
      ['a-key-of-other', 'other'],
    ]),
  })
  expect(fromFile()).not.toHaveProperty('metricsToken')
})

test('an option wins over its variable, and the variable over the file', () => {
  write({ port: 1, host: 'file', 'log-level': 'error' })
  const environment = { SVC_AUDIO_CONFIG: path, SVC_AUDIO_PORT: '2', SVC_AUDIO_HOST: 'variable' }
  expect(readSettings({ port: '3' }, environment)).toMatchObject({ port: 3, host: 'variable', logLevel: 'error' })
})

test('--config wins over SVC_AUDIO_CONFIG, for every command', () => {
  write({ port: 4 })
  const command = readCommand(['keys', 'list', '--config', path], { SVC_AUDIO_CONFIG: '/missing' })
  expect(command).toMatchObject({ name: 'run', options: { port: 4 } })
})

describe('an error names file, line and name', () => {
  test.each([
    [
      'an unknown name, with the near one',
      { host: 'a', 'data-dri': 'b' },
      ':3: Unknown setting data-dri; did you mean data-dir? (see --help)',
    ],
    ['an unknown name without a near one', { nonsense: 1 }, ':2: Unknown setting nonsense (see --help)'],
    ['a wrong value', { host: 'a', port: 70_000 }, ':3: port must be an integer from 0 to 65535, got "70000"'],
    [
      'a value of a wrong type',
      { port: { a: 1 } },
      ':2: port must be a text, a number, true, false or a list of texts',
    ],
    ['null', { port: null }, ':2: port must be a text, a number, true, false or a list of texts'],
    ['invalid JSON', '{\n  "port": 1,\n}', ':3: this is not valid JSON'],
    ['a file that ends early', '{\n "port": 1', ':2: this is not valid JSON'],
    ['a list', '[]', ':1: the file must be a JSON object, as {"port": 8080}'],
  ])('%s', (_what, content, message) => {
    write(content)
    expect(fromFile).toThrow(`${path}${message}`)
  })

  test('a missing file', () => {
    expect(fromFile).toThrow(`The configuration file ${path} does not exist. Correct --config or SVC_AUDIO_CONFIG`)
  })
})

test('no error repeats a secret of the file', () => {
  for (const content of [{ 'secret-key': 'short-secret' }, '{"secret-key": "short-secret" "port"}']) {
    write(content)
    expect(fromFile).toThrow(path)
    expect(fromFile).not.toThrow('short-secret')
  }
})

test('the published schema equals the settings', () => {
  expect(JSON.parse(readFileSync(SCHEMA, 'utf8'))).toEqual(JSON.parse(JSON.stringify(settingsSchema())))
})

test('the schema and the service agree about names and values', () => {
  const validate = new Ajv({ strict: true, allowUnionTypes: true }).compile(settingsSchema())
  const [, example = ''] = /```json\n(?<json>[^`]*)```/.exec(readFileSync(PAGE, 'utf8')) ?? []
  write(example)
  expect([validate(JSON.parse(example)), readConfigFile(path).size]).toEqual([true, 5])
  for (const line of listSettings()) expect(validate({ [configName(line)]: {} })).toBe(false)
  expect(validate({ prot: 1 })).toBe(false)
  expect(validate({ port: 70_000 })).toBe(false)
  expect(validate({ 'requests-per-minute': 'none' })).toBe(true)
})
