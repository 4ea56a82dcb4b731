import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePort } from '@svc-audio/kit/hosts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HOOK_CERTIFICATE } from './support/receiver.ts'
import { startTestService, type TestService } from './support/test-service.ts'

const run = promisify(execFile)
const RECIPE = new URL('../../../docs/recipes/tls-proxy.md', import.meta.url)

let folder: string
let recipe: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-proxies-'))
  recipe = await readFile(RECIPE, 'utf8')
})
afterAll(() => rm(folder, { recursive: true }))

/** The code blocks of a language, in order. */
function blocks(language: string): string[] {
  return Array.from(
    recipe.matchAll(new RegExp(`^\`\`\`${language}\\n(?<code>[^]*?)^\`\`\`$`, 'gm')),
    ({ groups }) => groups?.['code'] ?? '',
  )
}

/** Runs a check. @throws Error that names the package of a missing program */
async function check(program: string, of: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  try {
    const { stdout, stderr } = await run(program, args, { env: { ...process.env, ...env } })
    return { passed: true, said: stdout + stderr }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw new Error(`${program} is missing: install Debian's package ${of}`, { cause: error })
    }
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    return { passed: false, said: stdout + stderr }
  }
}

test('the alerts pass the check of promtool', async () => {
  const { passed, said } = await check('promtool', 'prometheus', [
    'check',
    'rules',
    fileURLToPath(new URL('../deploy/alerts.yaml', import.meta.url)),
  ])
  expect({ passed, said }).toMatchObject({ passed: true, said: expect.stringContaining('19 rules found') })
})

test('the proxy of the compose file passes the check of Caddy', async () => {
  const config = fileURLToPath(new URL('../deploy/Caddyfile', import.meta.url))
  const args = ['validate', '--adapter', 'caddyfile', '--config', config]
  expect(await check('caddy', 'caddy', args, { SITE: ':8080', HOME: folder })).toMatchObject({ passed: true })
})

describe('/metrics', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({ metricsToken: 'a-token-of-the-metrics' })
  })
  afterAll(() => service.close())

  async function metrics(): Promise<string> {
    const headers = { authorization: 'Bearer a-token-of-the-metrics' }
    return (await fetch(`${service.url}/metrics`, { headers })).text()
  }

  test('passes the check of promtool', async () => {
    await service.request('GET', '/v1/models')
    const tool = spawn('promtool', ['check', 'metrics'])
    const started = Promise.withResolvers<undefined>()
    tool.once('error', (cause) =>
      started.reject(new Error("promtool is missing: install Debian's package prometheus", { cause })),
    )
    tool.once('spawn', () => started.resolve(undefined))
    await started.promise
    const ended = once(tool, 'close')
    tool.stdin.end(await metrics())
    expect(await text(tool.stderr)).toBe('')
    expect(await ended).toEqual([0, null])
  })

  test('types what ends in _total as a counter, and nothing else', async () => {
    const types = Array.from((await metrics()).matchAll(/^# TYPE (?<name>\S+) (?<type>\S+)$/gm), ({ groups }) => groups)
    expect(types.length).toBeGreaterThan(20)
    for (const group of types) {
      const { name = '', type } = group ?? {}
      expect([name, type === 'counter']).toEqual([name, name.endsWith('_total')])
    }
  })
})

describe('the recipe of a proxy', () => {
  /** Loads the server in an nginx of its own: other paths and another port, the rest as in the recipe. */
  async function checkNginx(server: string): Promise<{ readonly passed: boolean; readonly said: string }> {
    const port = await freePort()
    await writeFile(join(folder, 'cert.pem'), HOOK_CERTIFICATE.cert)
    await writeFile(join(folder, 'cert.key'), HOOK_CERTIFICATE.key)
    const here = server
      .replace('listen 443', `listen 127.0.0.1:${port}`)
      .replace(/(?<=ssl_certificate +)\/\S+(?=;)/, join(folder, 'cert.pem'))
      .replace(/(?<=ssl_certificate_key +)\/\S+(?=;)/, join(folder, 'cert.key'))
    const file = join(folder, 'nginx.conf')
    const head = `pid ${folder}/pid; error_log stderr; events {} http { access_log off;`
    await writeFile(file, `${head}\n${here}\n}\n`)
    return check('nginx', 'nginx', ['-t', '-c', file, '-p', folder], { PATH: `${process.env['PATH']}:/usr/sbin` })
  }

  test('loads in nginx, in the form of its version', async () => {
    const [server = '', older = ''] = blocks('nginx')
    const { said } = await check('nginx', 'nginx', ['-v'], { PATH: `${process.env['PATH']}:/usr/sbin` })
    const [, major = 0, minor = 0, patch = 0] = (/nginx\/(\d+)\.(\d+)\.(\d+)/.exec(said) ?? []).map(Number)
    const knowsHttp2 = major * 1e6 + minor * 1e3 + patch >= 1_025_001
    const first = ['    listen 443 ssl;', '    http2 on;', ''].join('\n')
    expect(server).toContain(first)
    const before = await checkNginx(server.replace(first, older))
    expect(before.said).toContain('test is successful')
    const since = await checkNginx(server)
    expect(since.said).toContain(knowsHttp2 ? 'test is successful' : 'unknown directive "http2"')
    expect([before.passed, since.passed]).toEqual([true, knowsHttp2])
  })

  test('loads in Caddy', async () => {
    const [site = ''] = blocks('caddyfile')
    const file = join(folder, 'Caddyfile')
    const home = join(folder, 'home')
    await mkdir(home)
    await writeFile(file, site)
    const { passed, said } = await check('caddy', 'caddy', ['validate', '--config', file, '--adapter', 'caddyfile'], {
      HOME: home,
      XDG_DATA_HOME: home,
      XDG_CONFIG_HOME: home,
    })
    expect(said).toContain('Valid configuration')
    expect(passed).toBe(true)
  })
})
