import { createHash } from 'node:crypto'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BEHAVIOUR_ROWS } from '@svc-audio/kit/behaviour'
import { AudioClient } from '@svc-audio/core'
import { cleanProject, type CleanProject, output, run } from '@svc-audio/kit/hosts'
import { createTestUpstream, SlowUpload, type TestUpstream, uploadForm, wavFile } from '@svc-audio/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type AppServer,
  type AppServerOptions,
  RUNTIME_DEPENDENCIES,
  runtimeBinary,
  startApp,
  startWorker,
  webhooksOf,
} from '../test-hosts/support/app-server.ts'

// The recipes of docs/recipes/web-frameworks.md, built and served as in production by each framework.

const RECIPES = join(import.meta.dirname, '../test-hosts/recipes')
const support = async (name: string): Promise<string> =>
  readFile(join(import.meta.dirname, '../test-hosts/support', name), 'utf8')

let project: CleanProject
let upstream: TestUpstream
let client: AudioClient

beforeAll(async () => {
  project = await cleanProject({
    packages: ['@svc-audio/core', '@svc-audio/upload'],
    manifest: { type: 'module' },
    dependencies: {
      ...RUNTIME_DEPENDENCIES,
      '@astrojs/node': '^11.1.6',
      // Packages of React Router must have one version.
      '@react-router/dev': '8.4.0',
      '@react-router/node': '8.4.0',
      '@react-router/serve': '8.4.0',
      '@sveltejs/adapter-node': '^6.0.1',
      '@sveltejs/kit': '^3.2.0',
      '@sveltejs/vite-plugin-svelte': '^7.3.1',
      '@types/bun': '^1.3.0',
      '@types/koa': '^3.0.0',
      '@types/node': '^24.0.0',
      '@types/react': '^19.3.0',
      astro: '^7.3.5',
      elysia: '^1.4.30',
      isbot: '^5.1.0',
      koa: '^3.3.0',
      next: '^16.4.6',
      nuxt: '^4.5.2',
      react: '^19.3.1',
      'react-dom': '^19.3.1',
      'react-router': '8.4.0',
      svelte: '^5.57.1',
      typescript: '^6.0.0',
      vite: '^8.3.8',
    },
    files: {
      'bundle-worker.mjs': await support('bundle-worker.mjs'),
      'next/routes.mjs': await support('routes.mjs'),
      'next/app/table/[...path]/route.js': NEXT_TABLE,
    },
  })
  await cp(RECIPES, project.folder, { recursive: true })
  upstream = await createTestUpstream({ transcript: 'hello', speechSeconds: 0.2 })
  client = new AudioClient({ apiKey: upstream.apiKey, baseUrl: upstream.url })
})
afterAll(async () => {
  await client?.close()
  await upstream?.close()
  await project?.[Symbol.asyncDispose]()
})

/** The routes of the behaviour table in Next.js. */
const NEXT_TABLE = `
import { createRoutes } from '../../../routes.mjs'

let routes
const handle = (request) => (routes ??= createRoutes({}))(request)

export { handle as GET, handle as HEAD, handle as POST }
`

/** A recipe: how its framework builds it, if it does, and serves it. */
interface Recipe {
  readonly build?: readonly [string, ...string[]]
  readonly start: (options: Pick<AppServerOptions, 'project' | 'upstream'>) => Promise<AppServer>
  /** The `Origin` of the app's own pages, where the framework refuses forms of others. */
  readonly origin?: (url: string) => string
}

const node = (path: string, ...args: string[]): [string, ...string[]] => [process.execPath, path, ...args]
const inModules = (path: string): string => join(project.folder, 'node_modules', path)

const FRAMEWORKS: Readonly<Record<string, Recipe>> = {
  next: {
    build: ['next/dist/bin/next', 'build'],
    start: async (options) =>
      startApp({
        ...options,
        folder: 'next',
        command: (port) => node(inModules('next/dist/bin/next'), 'start', '--port', String(port)),
      }),
  },
  sveltekit: {
    build: ['vite/bin/vite.js', 'build'],
    start: async (options) =>
      startApp({
        ...options,
        folder: 'sveltekit',
        command: () => node('build/index.js'),
        env: { BODY_SIZE_LIMIT: '30M' },
      }),
    // The adapter expects a proxy with TLS.
    origin: (url) => url.replace('http:', 'https:'),
  },
  nuxt: {
    build: ['nuxt/bin/nuxt.mjs', 'build'],
    start: async (options) =>
      startApp({
        ...options,
        folder: 'nuxt',
        command: () => node('.output/server/index.mjs'),
        env: { HOST: '127.0.0.1' },
      }),
  },
  'react-router': {
    build: ['@react-router/dev/bin.cjs', 'build'],
    start: async (options) =>
      startApp({
        ...options,
        folder: 'react-router',
        command: () => node(inModules('@react-router/serve/bin.cjs'), 'build/server/index.js'),
      }),
  },
  astro: {
    build: ['astro/bin/astro.mjs', 'build'],
    start: async (options) =>
      startApp({
        ...options,
        folder: 'astro',
        command: () => node('dist/server/entry.mjs'),
        env: { HOST: '127.0.0.1' },
      }),
    origin: (url) => url,
  },
  elysia: {
    start: async (options) =>
      startApp({ ...options, folder: 'elysia', command: () => [runtimeBinary(project, 'bun'), 'app.ts'] }),
  },
  koa: {
    start: async (options) => startApp({ ...options, folder: 'koa', command: () => node('app.ts') }),
  },
  bun: {
    start: async (options) =>
      startApp({ ...options, folder: 'bun', command: () => [runtimeBinary(project, 'bun'), 'app.ts'] }),
  },
  deno: {
    start: async (options) =>
      startApp({
        ...options,
        folder: 'deno',
        command: () => [
          runtimeBinary(project, 'deno'),
          'run',
          '--check',
          '--allow-net',
          '--allow-env',
          '--allow-read',
          'app.ts',
        ],
      }),
  },
  workers: {
    start: async (options) => startWorker({ ...options, entry: 'workers/worker.ts', compatibilityDate: '2025-04-01' }),
  },
}

describe.each(Object.entries(FRAMEWORKS))('the recipe for %s', (folder, { build, start, origin }) => {
  let url = ''
  let headers: Readonly<Record<string, string>> = {}
  let app: AppServer
  beforeAll(async () => {
    if (build !== undefined) {
      await writeFile(join(project.folder, folder, 'package.json'), '{ "type": "module" }')
      const [program, ...args] = build
      const env = {
        NODE_ENV: 'production',
        NEXT_TELEMETRY_DISABLED: '1',
        ASTRO_TELEMETRY_DISABLED: '1',
        NUXT_TELEMETRY_DISABLED: '1',
      }
      await output(process.execPath, [inModules(program), ...args], { cwd: join(project.folder, folder), env })
    }
    app = await start({ project, upstream })
    url = `${app.url}/transcribe`
    if (origin !== undefined) headers = { origin: origin(app.url) }
  })
  afterAll(() => app?.[Symbol.asyncDispose]())

  test.each(folder === 'next' ? BEHAVIOUR_ROWS : [])('$fact', async ({ observe, expected }) => {
    const table = `${app.url}/table`
    expect(await observe({ url: table, upstream, client, ...webhooksOf(table) })).toEqual(expected)
  })

  const post = async (body: FormData): Promise<Response> => fetch(url, { method: 'POST', body, headers })

  beforeEach(() => void upstream.reset())

  test('transcribes a file of 20 MB, which reaches the service unchanged', async () => {
    const content = wavFile(20_000_000)
    const response = await post(uploadForm(content))
    expect([response.status, await response.json()]).toMatchObject([200, { text: 'hello' }])
    const sha256 = createHash('sha256').update(content).digest('hex')
    expect(upstream.requests.at(-1)).toMatchObject({ form: { files: [{ sha256 }] } })
  })

  test('answers a refused upload as JSON', async () => {
    const wrong = await post(uploadForm(wavFile(20_000_000), { field: 'photo' }))
    expect([wrong.status, await wrong.json()]).toMatchObject([400, { error: { code: 'unexpected_file' } }])
    const large = await post(uploadForm(wavFile(25_000_001)))
    expect([large.status, await large.json()]).toMatchObject([413, { error: { code: 'file_too_large' } }])
  })

  test('aborts the call when the client disconnects in mid-upload', async () => {
    const before = upstream.requests.length
    const upload = new SlowUpload(url, { headers })
    await upload.send(wavFile(200_000))
    await expect.poll(() => upstream.requests.length, { timeout: 60_000 }).toBe(before + 1)
    const request = upstream.requests[before]
    await request?.received(100_000)
    upload.leave()
    expect(await request?.closed()).toBe('closedByClient')
    expect(request?.complete).toBe(false)
  })
})

/** The recipes as their frameworks see them. Next.js and Deno check their own. */
const TYPES = `
import type { RequestHandler } from '@sveltejs/kit'
import type { APIRoute } from 'astro'
import type { ActionFunction } from 'react-router'
import { POST as astro } from './astro/src/pages/transcribe.ts'
import './bun/app.ts'
import './elysia/app.ts'
import './koa/app.ts'
import { action } from './react-router/app/transcribe.ts'
import { POST as sveltekit } from './sveltekit/src/routes/transcribe/+server.ts'
import { POST as members } from './sveltekit/src/routes/members/+server.ts'
import './nuxt/server/routes/transcribe.post.ts'
import './workers/worker.ts'

astro satisfies APIRoute
action satisfies ActionFunction
sveltekit satisfies RequestHandler
members satisfies RequestHandler
`

test('the recipes have the types that their frameworks expect', async () => {
  await writeFile(join(project.folder, 'types.ts'), TYPES)
  const strict = ['--noEmit', '--strict', '--skipLibCheck', '--noUncheckedIndexedAccess', '--types', 'node,bun']
  const modules = ['--target', 'es2024', '--module', 'preserve', '--allowImportingTsExtensions']
  const compiler = [inModules('typescript/bin/tsc'), ...strict, ...modules, 'types.ts']
  expect(await run(process.execPath, compiler, { cwd: project.folder })).toMatchObject({ exitCode: 0, stdout: '' })
})
