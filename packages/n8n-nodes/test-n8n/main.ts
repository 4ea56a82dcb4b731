import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect, parseArgs } from 'node:util'
import { AudioClient } from '@svc-audio/core'
import { freePort } from '@svc-audio/kit/hosts'
import { startService } from '@svc-audio/service'
import type { Browser } from 'playwright-core'
import { checkBill } from './check-bill.ts'
import { checkCallers } from './check-callers.ts'
import { checkCommandLine } from './check-command-line.ts'
import { checkCredentials } from './check-credentials.ts'
import { checkEditor, installInEditor, startBrowser } from './check-editor.ts'
import { checkErrors } from './check-errors.ts'
import { checkExamples } from './check-examples.ts'
import { checkItems } from './check-items.ts'
import { checkLint } from './check-lint.ts'
import { checkLongWork } from './check-long-work.ts'
import { checkMemory } from './check-memory.ts'
import { checkNewcomer } from './check-newcomer.ts'
import { checkOpenaiNode } from './check-openai-node.ts'
import { checkPolling, checkTrigger } from './check-trigger.ts'
import { checkQueue } from './check-queue.ts'
import { checkRuns } from './check-runs.ts'
import { checkStored } from './check-stored.ts'
import { installN8n, RELEASES, settingsFor } from './n8n-home.ts'
import { npmFor, pack, packInto, startRegistry } from './pack.ts'
import { N8nRest } from './rest.ts'
import { type N8nServer, type N8nServerOptions, startN8n } from './server.ts'

const USAGE = [
  'Usage: node packages/n8n-nodes/test-n8n/main.ts [options]',
  '  --release <name>        newest (default) or oldest: the oldest release of n8n that the package supports',
  '  --cache <folder>        n8n itself, 2.7 GB. Installed there once, which takes minutes',
  '  --chromium <program>    default: /usr/bin/chromium',
  '  --only <names>          these checks alone, separated by commas: lint, command-line, queue, stored, credentials, runs,',
  '                          bill, openai, callers, trigger, polling, items, long-work, memory, newcomer, editor, examples, errors',
  '  --examples <names>      these examples alone, by the names of their files. Default: all',
  '  --screenshots <folder>  pictures of each panel. Default: a folder that is removed',
].join('\n')
const NAME = 'n8n-nodes-svc-audio'
const KEY = 'real-n8n-test-key'

/** Checks that click in the editor. */
const IN_EDITOR = ['newcomer', 'editor', 'examples', 'errors'] as const

/** Checks of one running n8n, in their order. */
const WITH_SERVER = [
  'credentials',
  'runs',
  'bill',
  'openai',
  'callers',
  'trigger',
  'polling',
  'items',
  'long-work',
  'memory',
  ...IN_EDITOR,
] as const

/** What the command line sets. */
interface Options {
  readonly release: keyof typeof RELEASES
  readonly cache: string
  readonly chromium: string
  readonly screenshots: string | undefined
  /** Examples to build, by the names of their files. */
  readonly examples: readonly string[] | undefined
  /** Whether a check is to be made. */
  readonly isWanted: (name: string) => boolean
}

/**
 * The packed package in the real n8n and its editor. n8n is installed once, outside the repository. Everything else
 * is created for the run and removed.
 */
async function main(options: Options): Promise<string> {
  const began = performance.now()
  await using stack = new AsyncDisposableStack()
  await Promise.race([check(options, stack), signalled()])
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  return `n8n ${RELEASES[options.release].version}, in ${seconds} s`
}

/** Rejects when this process is told to end, so that all that was started is closed. A second time ends it at once. */
async function signalled(): Promise<never> {
  const names = ['SIGINT', 'SIGTERM'] as const
  const [signal] = await Promise.race(names.map((name) => once(process, name)))
  for (const name of names) process.once(name, () => process.exit(1))
  throw new Error(`ended by ${String(signal)}`)
}

async function check(options: Options, stack: AsyncDisposableStack): Promise<void> {
  const { release, cache, chromium, screenshots, examples, isWanted } = options
  const installed = await installN8n(RELEASES[release], cache, print)
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-real-n8n-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
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

  const failures: string[] = []
  const run = runner(isWanted, failures)
  await run('lint', () => checkLint(join(folder, 'lint'), print))
  await run('command-line', async () => [
    await checkCommandLine({ installed, folder: join(folder, 'command-line'), direct, key: KEY }),
  ])
  await run('queue', () => checkQueue({ installed, folder, stack }))
  await run('stored', () => checkStored({ installed, folder, stack, direct, key: KEY }))
  if (!WITH_SERVER.some(isWanted)) return ended(failures)

  const home = join(folder, 'home')
  const env = { ...settingsFor(installed, home), ...serverSettings(port, folder) }
  const server = { installed, folder: home, port, env }
  const browser = IN_EDITOR.some(isWanted) ? await startBrowser(chromium) : undefined
  stack.defer(() => browser?.close())
  const [n8n, rest] = await (browser === undefined
    ? startUnpacked(server)
    : startInstalled(server, browser, { stack, folder, release }))
  stack.defer(() => n8n.close())
  const credential = await rest.addCredential('Svc Audio API', 'svcAudioApi', { apiKey: KEY, baseUrl: service.url })
  const pictures = screenshots ?? join(folder, 'screenshots')
  const checks: Readonly<Record<(typeof WITH_SERVER)[number], () => Promise<string[]>>> = {
    credentials: () => checkCredentials(rest, { key: KEY, service: service.url, credential }),
    runs: () => checkRuns({ rest, direct, credential, folder }),
    bill: () => checkBill({ rest, direct, credential, folder }),
    openai: () => checkOpenaiNode(rest, { direct, key: KEY }),
    callers: () => checkCallers({ rest, direct, credential }),
    trigger: () => checkTrigger(rest),
    polling: () => checkPolling(n8n, rest),
    items: () => checkItems(n8n, rest),
    'long-work': () => checkLongWork({ server: n8n, rest, credential, isStored: release === 'newest' }),
    memory: () => checkMemory(n8n, rest, folder),
    newcomer: async () => (browser === undefined ? [] : checkNewcomer(browser, { rest, credential })),
    editor: async () =>
      browser === undefined
        ? []
        : checkEditor(browser, { rest, credential, screenshots: pictures, hasToolAliases: release === 'newest' }),
    examples: async () =>
      browser === undefined
        ? []
        : checkExamples(browser, { rest, direct, credential, folder, screenshots: pictures, only: examples }, print),
    errors: async () =>
      browser === undefined ? [] : checkErrors(browser, { rest, credential, screenshots: pictures }),
  }
  for (const name of WITH_SERVER) {
    await run(name, checks[name])
    await rest.removeCredentials(credential)
  }
  ended(failures)
}

/** Runs a check that is wanted and prints what it proved, or why it failed. The next check runs in both cases. */
function runner(
  isWanted: Options['isWanted'],
  failures: string[],
): (name: string, work: () => Promise<readonly string[]>) => Promise<void> {
  return async (name, work) => {
    if (!isWanted(name)) return
    const began = performance.now()
    try {
      for (const line of await work()) print(line)
      print(`${name}: passed in ${((performance.now() - began) / 1000).toFixed(0)} s`)
    } catch (error) {
      print(`${name}: failed: ${inspect(error)}`)
      failures.push(name)
    }
  }
}

function ended(failures: readonly string[]): void {
  if (failures.length > 0) throw new Error(`checks: ${failures.join(', ')}`)
}

/** n8n with the package in the folder of installed packages, for checks without a browser. */
async function startUnpacked(server: N8nServerOptions): Promise<[N8nServer, N8nRest]> {
  await packInto(join(server.folder, '.n8n/nodes/node_modules', NAME))
  const n8n = await startN8n(server)
  const rest = new N8nRest(n8n.url)
  await rest.setUp()
  return [n8n, rest]
}

/** n8n with the package installed through the editor, from a registry of this run. */
async function startInstalled(
  server: N8nServerOptions,
  browser: Browser,
  {
    stack,
    folder,
    release,
  }: { readonly stack: AsyncDisposableStack; readonly folder: string; readonly release: Options['release'] },
): Promise<[N8nServer, N8nRest]> {
  const { tarball, manifest } = await pack(join(folder, 'packed'))
  const registry = await startRegistry(tarball, NAME, manifest)
  stack.defer(() => registry.close())
  const PATH = await npmFor(registry, join(folder, 'npm'))
  const n8n = await startN8n({ ...server, env: { ...server.env, PATH } })
  const rest = new N8nRest(n8n.url)
  await rest.setUp()
  const { version } = { version: '0.0.0', ...manifest }
  // n8n 2.0 asks the public registry for the newest version, but is content with npm's response about a named one
  print(await installInEditor(browser, rest, release === 'oldest' ? `${NAME}@${version}` : NAME))
  return [n8n, rest]
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
  const options = {
    cache: text,
    chromium: text,
    examples: text,
    only: text,
    release: text,
    screenshots: text,
    help: { type: 'boolean' },
  } as const
  const { values } = parseArgs({ options })
  const { release = 'newest', chromium = '/usr/bin/chromium', screenshots } = values
  if (release !== 'newest' && release !== 'oldest')
    throw new Error(`--release must be newest or oldest, got ${release}`)
  const { cache = join(tmpdir(), `svc-audio-n8n-${RELEASES[release].version}`) } = values
  const names = values.only?.split(',')
  const examples = values.examples?.split(',')
  const isWanted = (name: string): boolean => names?.includes(name) ?? true
  if (values.help === true) print(USAGE)
  else print(`passed: ${await main({ release, cache, chromium, screenshots, examples, isWanted })}`)
} catch (error) {
  print(`failed: ${inspect(error)}`)
  // a check that a signal has ended may still wait for something
  process.exit(1)
}
