import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Program } from './support/program.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-test-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'prints its readiness, answers requests, and %s stops it cleanly',
  async (signal) => {
    const program = new Program(folder, ['--port', '0', '--data-dir', `data-${signal}`])
    const url = await program.ready()
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    program.child.kill(signal)
    expect(await program.exit()).toBe(0)
    expect(program.stderr).toBe('')
  },
)

// rules: auth.shown-once
test('the first start creates a key, prints it once and stores only its hash', async () => {
  const first = new Program(folder, ['--port', '0', '--data-dir', 'keys'])
  const url = await first.ready()
  expect(first.stdout).toMatch(/^ {2}docs {5}http:\/\/\S+\/docs$/m)
  const key = /API key {2}(\S+)/.exec(first.stdout)?.[1] ?? ''
  expect(key).toMatch(/^svca_[\w-]{32}$/)
  const headers = { authorization: `Bearer ${key}` }
  expect((await fetch(`${url}/v1/models`, { headers })).status).toBe(200)
  first.child.kill('SIGTERM')
  await first.exit()
  const second = new Program(folder, ['--port', '0', '--data-dir', 'keys'])
  const again = await second.ready()
  expect(second.stdout).not.toContain('API key')
  expect((await fetch(`${again}/v1/models`, { headers })).status).toBe(200)
  second.child.kill('SIGTERM')
  await second.exit()
  for (const name of await readdir(join(folder, 'keys'))) {
    if (!name.startsWith('service.sqlite')) continue
    expect((await readFile(join(folder, 'keys', name))).includes(key)).toBe(false)
  }
})

test('keys from the environment are accepted, and none is created', async () => {
  const keys = 'alpha:first-secret-key, beta:second-secret-key'
  const program = new Program(folder, ['--port', '0', '--data-dir', 'env'], { SVC_AUDIO_API_KEYS: keys })
  const url = await program.ready()
  expect(program.stdout).not.toContain('API key')
  for (const key of ['first-secret-key', 'second-secret-key']) {
    expect((await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200)
  }
  program.child.kill('SIGTERM')
  await program.exit()
})

describe('a wrong command line gets one clear line and exit code 1', () => {
  const rows: [fault: string, args: string[], environment: Record<string, string>, line: RegExp][] = [
    ['an unknown option', ['--prot', '1'], {}, /: Unknown option --prot; did you mean --port\? \(see --help\)$/m],
    ['an option without its value', ['--port'], {}, /: --port needs a value, as --port=…/],
    ['a value that looks like an option', ['--port', '-1'], {}, /: --port needs a value, as --port=…/],
    ['a value for help', ['--help=me'], {}, /: --help takes no value/],
    ['a port that is not a number', ['--port', 'http'], {}, /--port must be an integer from 0 to 65535/],
    ['a port that is too high', ['--port', '65536'], {}, /--port must be/],
    ['an address of another machine', ['--port', '0', '--host', '192.0.2.1'], {}, /--host/],
    [
      'a folder below a file',
      ['--port', '0', '--data-dir', '/dev/null/x'],
      {},
      /\/dev\/null.*Choose another --data-dir/,
    ],
    ['a folder that cannot be created', ['--port', '0', '--data-dir', '/proc/x'], {}, /\/proc.*Choose another/],
    ['a key in such a folder', ['keys', 'create', 'a', '--data-dir', '/dev/null/x'], {}, /\/dev\/null.*Choose another/],
    ['keys without a tenant', [], { SVC_AUDIO_API_KEYS: 'a-secret-without-tenant' }, /SVC_AUDIO_API_KEYS: entry 1/],
    ['an unknown command', ['dokter'], {}, /Unknown command dokter; did you mean doctor\? \(see --help\)/],
    ['an unknown command that no name is near', ['server'], {}, /Unknown command server \(see --help\)/],
    [
      'an unknown command for keys',
      ['keys', 'show'],
      {},
      /keys needs one of create, rotate, list, delete \(see --help\)/,
    ],
    ['a key without a tenant', ['keys', 'create'], {}, /keys create needs: <tenant> \[<days>\]/],
    ['a tenant with a space', ['keys', 'create', 'a b'], {}, /A tenant is 1 to 100 letters/],
    ['a key to delete without its id', ['keys', 'delete'], {}, /keys delete needs: <id>, which keys list shows/],
    ['a voice without its id', ['voices', 'delete', 'a'], {}, /voices delete needs: <tenant> <id>/],
    ['too many words', ['keys', 'list', 'all'], {}, /keys list takes no arguments/],
    ['too many words again', ['doctor', 'who'], {}, /doctor takes no arguments/],
    ['a wrong setting of an admin command', ['keys', 'list'], { SVC_AUDIO_PORT: 'x' }, /SVC_AUDIO_PORT must be/],
    ['a key that never works', ['keys', 'create', 'a', '0'], {}, /The days must be an integer from 1 to/],
    ['a misspelt command of keys', ['keys', 'lst'], {}, /keys needs one of .*; did you mean list\?/],
    ['keys of an unused folder', ['keys', 'list', '--data-dir', 'none'], {}, /No service has used .*--data-dir/],
    [
      'an address with a path',
      ['--public-url', 'https://example.com/x'],
      {},
      /--public-url must be the address of a site/,
    ],
    ['no tenant', ['webhook-secret'], {}, /webhook-secret needs: <tenant>/],
    ['an unused folder', ['webhook-secret', 'a', '--data-dir', 'none'], {}, /No service has used .*--data-dir/],
    ['a value for version', ['--version=2'], {}, /--version takes no value/],
    ['zero tasks at once', [], { SVC_AUDIO_TASKS_AT_ONCE: '0' }, /SVC_AUDIO_TASKS_AT_ONCE must be an integer from 1/],
    ['a lifetime that is not a number', [], { SVC_AUDIO_INPUT_HOURS: 'day' }, /SVC_AUDIO_INPUT_HOURS must be/],
    ['a fractional lifetime', [], { SVC_AUDIO_RESULT_HOURS: '1.5' }, /SVC_AUDIO_RESULT_HOURS must be/],
    [
      'an odd allow-list',
      [],
      { SVC_AUDIO_WEBHOOK_ALLOW: 'a.lan,10.0.0.0/99' },
      /SVC_AUDIO_WEBHOOK_ALLOW: "10.0.0.0\/99"/,
    ],
    [
      'an odd list of hosts to fetch from',
      [],
      { SVC_AUDIO_URL_ALLOW: 'http://media.lan' },
      /SVC_AUDIO_URL_ALLOW: "http:\/\/media.lan"/,
    ],
    ['an unknown log level', [], { SVC_AUDIO_LOG_LEVEL: 'loud' }, /SVC_AUDIO_LOG_LEVEL/],
  ]
  test.each(rows)('%s', async (_fault, args, environment, line) => {
    const program = new Program(folder, args, environment)
    expect(await program.exit()).toBe(1)
    expect(program.stderr).toMatch(line)
    expect(program.stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(program.stderr).not.toContain('a-secret')
  })

  test.each([
    ['--port', '0'],
    ['keys', 'list'],
    ['keys', 'create', 'a'],
  ])('a damaged database: %s %s', async (...args) => {
    await mkdir(join(folder, 'damaged'), { recursive: true })
    await writeFile(join(folder, 'damaged', 'service.sqlite'), 'This was a database. '.repeat(100))
    const program = new Program(folder, [...args, '--data-dir', 'damaged'])
    expect(await program.exit()).toBe(1)
    expect(program.stderr).toMatch(/: The database in \S+damaged is damaged: .*--data-dir\n$/)
    expect(program.stderr.trimEnd().split('\n')).toHaveLength(1)
  })

  test('a port in use', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const address = other.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const program = new Program(folder, ['--port', String(port), '--data-dir', 'taken'])
    expect(await program.exit()).toBe(1)
    expect(program.stderr).toMatch(/Port \d+ on 127\.0\.0\.1 is in use: .*--port/)
    expect(program.stderr.trimEnd().split('\n')).toHaveLength(1)
    other.close()
  })
})

test('a second service on a folder is refused in one line; webhook-secret works beside the first', async () => {
  const first = new Program(folder, ['--port', '0', '--data-dir', 'shared'])
  await first.ready()
  const shown = /webhooks (whsec_\S+)/.exec(first.stdout)?.[1]
  const second = new Program(folder, ['--port', '0', '--data-dir', 'shared'])
  expect(await second.exit()).toBe(1)
  expect(second.stderr).toMatch(/shared is in use by another running service: .*--data-dir/)
  expect(second.stderr.trimEnd().split('\n')).toHaveLength(1)
  const admin = new Program(folder, ['webhook-secret', 'default', '--data-dir', 'shared'])
  expect(await admin.exit()).toBe(0)
  expect(admin.stdout.trimEnd()).toBe(shown)
  first.child.kill('SIGTERM')
  expect(await first.exit()).toBe(0)
})

test('--version answers at once', async () => {
  const program = new Program(folder, ['--version'], { SVC_AUDIO_PORT: 'none' })
  expect(await program.exit()).toBe(0)
  expect(program.stdout).toMatch(/^svc-audio-service \d+\.\d+\.\d+\n$/)
})

test('--help answers at once, even with invalid settings', async () => {
  const program = new Program(folder, ['--help'], { SVC_AUDIO_PORT: 'none' })
  expect(await program.exit()).toBe(0)
  for (const word of ['--data-dir', 'keys create', 'doctor', 'SVC_AUDIO_API_KEYS'])
    expect(program.stdout).toContain(word)
})

test('help about a command shows its arguments and its options alone, in columns', async () => {
  const program = new Program(folder, ['usage', '--help'])
  expect(await program.exit()).toBe(0)
  expect(program.stdout).toMatch(/^Usage: svc-audio-service usage \[options\]\n/)
  expect(program.stdout).toMatch(/^ {2}--from <day> {7}first day in UTC/m)
  expect(program.stdout).toMatch(/^ {2}--tenant <tenant> {2}only this tenant$/m)
  expect(program.stdout).not.toContain('--port')
})

test('--help aligns the commands in two columns', async () => {
  const program = new Program(folder, ['--help'])
  await program.exit()
  const lines = program.stdout.split('\n').filter((line) => / {2}\S/.test(line))
  const starts = ['makes a key', 'lists all tenants', 'makes the checks of a start'].map((meaning) =>
    lines.find((line) => line.includes(meaning))?.indexOf(meaning),
  )
  expect(new Set(starts).size).toBe(1)
})
