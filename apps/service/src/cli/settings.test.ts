import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DEFAULT_OPTIONS, prioritiesOf } from '../service-options.ts'
import { helpText } from './command.ts'
import { readSettings } from './read-settings.ts'
import { listSettings } from './settings.ts'

const PAGE = new URL('../../docs/configuration.md', import.meta.url)

/** Variables that other programs of a cluster use too. */
const WELL_KNOWN = ['DATABASE_URL', 'DATABASE_URL_DIRECT', 'S3_BUCKET', 'S3_ENDPOINT', 'S3_REGION']

/** Names of hosts, folders, files and buckets: no form is wrong. */
const ANY_TEXT = ['SVC_AUDIO_HOST', 'SVC_AUDIO_DATA_DIR', 'S3_BUCKET', 'S3_REGION', 'SVC_AUDIO_ENGINES']

/** Removes the formatter's padding of cells. */
function cells(table: string): string[] {
  return table
    .trim()
    .split('\n')
    .map((line) => line.replaceAll(/ *\| */g, '|').replaceAll(/-{3,}/g, '---'))
}

test('the table of docs/configuration.md equals the settings', async () => {
  const [, table = ''] = /<!-- settings -->(?<table>[^]*)<!-- \/settings -->/.exec(await readFile(PAGE, 'utf8')) ?? []
  expect(cells(table)).toEqual(cells(settingsTable()))
})

test('--help names every option and every variable once', () => {
  const help = helpText()
  for (const { flag, variable } of listSettings()) {
    expect(help.split(/[\s,]+/).filter((word) => word === variable)).toHaveLength(1)
    expect(help).toContain(flag === undefined ? variable : `${flag} <…>`)
  }
})

test('the option and the variable of a setting share their spelling, and every setting has its own', () => {
  const lines = listSettings()
  expect(new Set(lines.map(({ variable }) => variable)).size).toBe(lines.length)
  for (const { flag, variable } of lines) {
    if (WELL_KNOWN.includes(variable)) continue
    expect(variable).toMatch(/^SVC_AUDIO_[A-Z_]+$/)
    const alike = flag?.slice(2).toUpperCase().replaceAll('-', '_') ?? variable.slice('SVC_AUDIO_'.length)
    expect(variable).toBe(`SVC_AUDIO_${alike}`)
  }
})

test('no secret has a command-line option, because other users see command lines', () => {
  const secrets = listSettings().filter(({ flag }) => flag === undefined)
  expect(secrets.map(({ variable }) => variable)).toEqual([
    'SVC_AUDIO_SECRET_KEY',
    'SVC_AUDIO_API_KEYS',
    ...WELL_KNOWN,
    'SVC_AUDIO_METRICS_TOKEN',
  ])
})

test('the documented defaults are the real defaults', () => {
  const shown = new Map(listSettings().map(({ name, fallback }) => [name, fallback]))
  const mib = 1024 * 1024
  const inUnits: Record<string, number> = {
    maxUploadBytes: mib,
    storageBytesPerTenant: mib,
    unsentBytesPerTenant: mib,
    maxOutputSeconds: 60,
    requestWaitTimeout: 1000,
    stallTimeout: 1000,
    taskStallTimeout: 1000,
    stopTimeout: 1000,
  }
  for (const [name, value] of Object.entries(DEFAULT_OPTIONS)) {
    const inUnit = typeof value === 'number' ? value / (inUnits[name] ?? 1) : value
    expect(shown.get(name)).toBe(inUnit === Infinity ? 'none' : String(inUnit))
  }
})

test('a limit is an integer, or none for no limit', () => {
  expect(readSettings({ 'open-tasks-per-tenant': 'none' }, {})).toMatchObject({ openTasksPerTenant: Infinity })
  expect(readSettings({ 'max-output-minutes': '2' }, {})).toMatchObject({ maxOutputSeconds: 120 })
  expect(() => readSettings({ 'open-tasks-per-tenant': '0' }, {})).toThrow(
    /--open-tasks-per-tenant must be an integer from 1 to \d+, or none for no limit, got "0"/,
  )
})

test('the address of a database is checked, and never repeated', () => {
  const message =
    'DATABASE_URL must be the address of a PostgreSQL database, as postgres://user:password@host:5432/name'
  for (const DATABASE_URL of ['mysql://u:secret@h/n', 'secret']) {
    expect(() => readSettings({}, { DATABASE_URL })).toThrow(expect.objectContaining({ message }))
  }
  const databaseUrl = 'postgresql://u:secret@h:5432/n'
  expect(readSettings({ role: 'worker' }, { DATABASE_URL: databaseUrl })).toMatchObject({ databaseUrl, role: 'worker' })
})

test('without settings the options hold only a data folder', () => {
  expect(readSettings({}, {})).toEqual({ dataDir: resolve('.svc-audio') })
  expect(readSettings({}, { SVC_AUDIO_PORT: '', SVC_AUDIO_HOST: ' ' })).toEqual({ dataDir: resolve('.svc-audio') })
})

test('an option wins over its variable', () => {
  expect(readSettings({ port: '1' }, { SVC_AUDIO_PORT: '2' }).port).toBe(1)
  expect(readSettings({}, { SVC_AUDIO_PORT: '2' }).port).toBe(2)
})

describe('each setting is read by its own parser', () => {
  const rows: [variable: string, text: string, name: string, value: unknown][] = [
    ['SVC_AUDIO_DATA_DIR', 'somewhere', 'dataDir', resolve('somewhere')],
    ['SVC_AUDIO_PUBLIC_URL', 'https://audio.example.com/', 'publicUrl', 'https://audio.example.com'],
    ['SVC_AUDIO_PUBLIC_URL', 'http://10.0.0.1:8080', 'publicUrl', 'http://10.0.0.1:8080'],
    [
      'SVC_AUDIO_API_KEYS',
      'a:12345678, b:abcdefgh',
      'apiKeys',
      new Map(Object.entries({ 12345678: 'a', abcdefgh: 'b' })),
    ],
    ['SVC_AUDIO_LOG_LEVEL', 'debug', 'logLevel', 'debug'],
    ['SVC_AUDIO_METRICS_TOKEN', '0123456789abcdef', 'metricsToken', '0123456789abcdef'],
    ['SVC_AUDIO_MAX_UPLOAD_MB', '2', 'maxUploadBytes', 2_097_152],
    ['SVC_AUDIO_STORAGE_MB_PER_TENANT', '1', 'storageBytesPerTenant', 1_048_576],
    ['SVC_AUDIO_REQUESTS_PER_MINUTE', '60', 'requestsPerMinute', 60],
    ['SVC_AUDIO_TASKS_AT_ONCE_PER_TENANT', '1', 'tasksAtOncePerTenant', 1],
    ['SVC_AUDIO_OPEN_TASKS_PER_TENANT', '9', 'openTasksPerTenant', 9],
    ['SVC_AUDIO_UPLOAD_HOURS', '8', 'uploadLifetimeHours', 8],
    ['SVC_AUDIO_DELETE_AFTER_SUCCESS', 'true', 'deleteAfterSuccess', true],
    ['SVC_AUDIO_OPENAI_API', 'true', 'openaiApi', true],
    ['SVC_AUDIO_OPENAI_MARKDOWN', 'false', 'openaiMarkdown', false],
    [
      'SVC_AUDIO_OPENAI_ALIASES',
      'nova=af_nova, anna=de_anna',
      'openaiAliases',
      new Map([
        ['nova', 'af_nova'],
        ['anna', 'de_anna'],
      ]),
    ],
    [
      'SVC_AUDIO_CORS_ORIGINS',
      'https://App.example.com/,http://localhost:5173',
      'corsOrigins',
      ['https://app.example.com', 'http://localhost:5173'],
    ],
    ['SVC_AUDIO_CORS_ORIGINS', 'https://bücher.example:443', 'corsOrigins', ['https://xn--bcher-kva.example']],
    ['SVC_AUDIO_REQUEST_WAIT_SECONDS', '2', 'requestWaitTimeout', 2000],
    ['SVC_AUDIO_WEBHOOK_ALLOW', 'a.lan, 10.0.0.0/8', 'webhookAllow', ['a.lan', '10.0.0.0/8']],
    ['SVC_AUDIO_STOP_SECONDS', '0', 'stopTimeout', 0],
  ]
  test.each(rows)('%s=%s', (variable, text, name, value) => {
    expect(readSettings({}, { [variable]: text })).toEqual({ dataDir: resolve('.svc-audio'), [name]: value })
  })
})

describe('an error about a bad value names the setting and repeats no secret', () => {
  const rows: [variable: string, text: string, message: RegExp][] = [
    ['SVC_AUDIO_PORT', '-1', /^SVC_AUDIO_PORT must be an integer from 0 to 65535, got "-1"$/],
    ['SVC_AUDIO_PORT', '1e3', /must be an integer/],
    ['SVC_AUDIO_CORS_ORIGINS', '*', /^SVC_AUDIO_CORS_ORIGINS must be origins of pages, list each origin/],
    ['SVC_AUDIO_CORS_ORIGINS', 'https://example.com/app', /must be origins of pages/],
    ['SVC_AUDIO_OPENAI_ALIASES', 'nova', /^SVC_AUDIO_OPENAI_ALIASES must be name=voice/],
    ['SVC_AUDIO_OPENAI_ALIASES', 'a=b,a=c', /must have each name once, got "a" twice/],
    ['SVC_AUDIO_PUBLIC_URL', 'audio.example.com', /^SVC_AUDIO_PUBLIC_URL must be the address of a site/],
    ['SVC_AUDIO_PUBLIC_URL', 'https://example.com/audio', /without a path/],
    ['SVC_AUDIO_PUBLIC_URL', 'https://user:secret@example.com', /^(?!.*secret).*without a path/],
    ['SVC_AUDIO_PUBLIC_URL', 'ftp://example.com', /must be/],
    ['SVC_AUDIO_API_KEYS', 'a:12345678,secret', /^SVC_AUDIO_API_KEYS: entry 2 must be tenant:key(?!.*secret)/],
    ['SVC_AUDIO_METRICS_TOKEN', 'secret', /^SVC_AUDIO_METRICS_TOKEN must be at least 16(?!.*secret)/],
    ['SVC_AUDIO_MAX_UPLOAD_MB', '513', /^SVC_AUDIO_MAX_UPLOAD_MB must be an integer from 1 to 512/],
    ['SVC_AUDIO_LOG_LEVEL', 'loud', /^SVC_AUDIO_LOG_LEVEL must be one of trace/],
    ['SVC_AUDIO_DELETE_AFTER_SUCCESS', 'yes', /must be one of true, false/],
    ['SVC_AUDIO_WEBHOOK_ALLOW', '10.0.0.0/99', /^SVC_AUDIO_WEBHOOK_ALLOW: "10\.0\.0\.0\/99" is not/],
  ]
  test.each(rows)('%s=%s', (variable, text, message) => {
    expect(() => readSettings({}, { [variable]: text })).toThrow(message)
  })

  test('every setting refuses a wrong value and is named, except those that take any text', () => {
    const errorOf = (variable: string): string => {
      try {
        readSettings({}, { [variable]: 'a wrong value' })
        return 'none'
      } catch (error) {
        return String(error)
      }
    }
    const errors = listSettings().map(({ variable }) => [variable, errorOf(variable)] as const)
    expect(errors.flatMap(([variable, error]) => (error === 'none' ? [variable] : []))).toEqual(ANY_TEXT)
    expect(errors.filter(([variable, error]) => error !== 'none' && !error.includes(variable))).toEqual([])
  })

  test('background work cannot come before engines, and the default follows a high value of the engines', () => {
    const message = /^--background-nice must be at least the value of --engine-nice, 7$/
    expect(() => readSettings({ 'engine-nice': '7', 'background-nice': '6' }, {})).toThrow(message)
    expect(readSettings({ 'engine-nice': '18' }, {})).toMatchObject({ engineNice: 18 })
    expect(prioritiesOf({ engineNice: 18 })).toEqual({ engine: 18, background: 18 })
    expect(prioritiesOf({})).toEqual({ engine: 5, background: 15 })
  })

  test('an error about an option names the option', () => {
    expect(() => readSettings({ 'stop-seconds': 'never' }, { SVC_AUDIO_STOP_SECONDS: '1' })).toThrow(
      /^--stop-seconds must be/,
    )
  })
})

/** The settings as a Markdown table, for docs/configuration.md. */
function settingsTable(): string {
  const rows = listSettings().map(({ flag, variable, fallback, meaning }) => {
    return `| ${flag === undefined ? '' : `\`${flag}\``} | \`${variable}\` | ${fallback} | ${meaning} |`
  })
  return ['| option | variable | default | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n')
}
