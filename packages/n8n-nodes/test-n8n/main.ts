import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { AudioClient } from '@svc-audio/core'
import { freePort } from '@svc-audio/hosts'
import { startService } from '@svc-audio/service'
import { checkCommandLine } from './check-command-line.ts'
import { checkCredentials } from './check-credentials.ts'
import { checkEditor, installInEditor, startBrowser } from './check-editor.ts'
import { checkMemory } from './check-memory.ts'
import { checkOpenaiNode } from './check-openai-node.ts'
import { checkRuns } from './check-runs.ts'
import { installN8n, N8N_VERSION } from './install-n8n.ts'
import { settingsFor } from './n8n-home.ts'
import { pack } from './pack.ts'
import { npmFor, startRegistry } from './registry.ts'
import { N8nRest } from './rest.ts'
import { startN8n } from './server.ts'

const USAGE = [
  'Usage: node packages/n8n-nodes/test-n8n/main.ts [options]',
  '  --cache <folder>        n8n itself, 2.7 GB. Installed there once, which takes minutes',
  '  --chromium <program>    default: /usr/bin/chromium',
  '  --screenshots <folder>  pictures of each panel. Default: a folder that is removed',
].join('\n')
const NAME = 'n8n-nodes-svc-audio'
const KEY = 'real-n8n-test-key'

/** What the command line sets. */
interface Options {
  readonly cache: string
  readonly chromium: string
  readonly screenshots: string | undefined
}

/**
 * The packed package in the real n8n and its editor. n8n is installed once, outside the repository. Everything else
 * is created for the run and removed.
 */
async function main({ cache, chromium, screenshots }: Options): Promise<string> {
  const began = performance.now()
  const program = await installN8n(cache, print)
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-real-n8n-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const port = await freePort()
  const service = await startService({
    dataDir: join(folder, 'service'),
    port: 0,
    apiKeys: new Map([[KEY, 'tenant']]),
    logLevel: 'silent',
    audioUrlAllow: ['127.0.0.1'],
    webhookAllow: ['http://127.0.0.1'],
    openaiApi: true,
  })
  stack.defer(() => service.close())
  const direct = new AudioClient({ apiKey: KEY, baseUrl: service.url })
  stack.defer(() => direct.close())

  print(await checkCommandLine({ program, folder: join(folder, 'command-line'), direct, key: KEY }))

  const { tarball, manifest } = await pack(join(folder, 'packed'))
  const registry = await startRegistry(tarball, NAME, manifest)
  stack.defer(() => registry.close())
  const path = await npmFor(registry, join(folder, 'npm'))
  const home = join(folder, 'home')
  const n8n = await startN8n(program, home, port, { ...settingsFor(home), PATH: path, ...serverSettings(port, folder) })
  stack.defer(() => n8n.close())
  const browser = await startBrowser(chromium)
  stack.defer(() => browser.close())
  const rest = new N8nRest(n8n.url)
  await rest.setUp()
  print(await installInEditor(browser, rest, NAME))
  const credential = await rest.addCredential('Svc Audio API', 'svcAudioApi', { apiKey: KEY, baseUrl: service.url })
  for (const line of await checkCredentials(rest, { key: KEY, service: service.url, credential })) print(line)
  for (const line of await checkRuns({ rest, direct, credential, folder })) print(line)
  for (const line of await checkOpenaiNode(rest, { direct, key: KEY })) print(line)
  for (const line of await checkMemory(n8n, rest, folder)) print(line)
  const pictures = screenshots ?? join(folder, 'screenshots')
  for (const line of await checkEditor(browser, { rest, credential, screenshots: pictures })) print(line)
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  return `n8n ${N8N_VERSION} on Node ${process.versions.node}, in ${seconds} s`
}

/** Beside those of every n8n here: what a server needs, binary fields in files, and files of the test alone. */
function serverSettings(port: number, folder: string): NodeJS.ProcessEnv {
  return {
    N8N_SECURE_COOKIE: 'false',
    N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem',
    N8N_RESTRICT_FILE_ACCESS_TO: folder,
    WEBHOOK_URL: `http://127.0.0.1:${port}/`,
  }
}

function print(line: string): void {
  process.stdout.write(`test:n8n: ${line}\n`)
}

try {
  const text = { type: 'string' } as const
  const options = { cache: text, chromium: text, screenshots: text, help: { type: 'boolean' } } as const
  const { values } = parseArgs({ options })
  const { cache = join(tmpdir(), `svc-audio-n8n-${N8N_VERSION}`), chromium = '/usr/bin/chromium', screenshots } = values
  if (values.help === true) print(USAGE)
  else print(`passed: ${await main({ cache, chromium, screenshots })}`)
} catch (error) {
  print(`failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  process.exitCode = 1
}
