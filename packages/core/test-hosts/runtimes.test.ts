import { spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  cleanProject,
  type CleanProject,
  freePort,
  nodeBinary,
  run,
  RUNTIME_VERSIONS,
  runtimes,
  untilListening,
} from '@svc-audio/kit/hosts'
import { createTestUpstream, type TestUpstream } from '@svc-audio/testing'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { servePage } from './support/page-server.ts'

// One import, twenty jobs and 200 aborts on each runtime, with the packed package in an empty project.

const ALL = { passed: 20, faults: [], aborts: [] }
const FILES = ['jobs.mjs', 'program.mjs', 'worker.mjs', 'page.mjs', 'bundle.mjs']
const { bun, deno, workerd } = runtimes()

let project: CleanProject
let upstream: TestUpstream
/** The origin of the page under test, which also serves the results. */
let page = ''
const binary = ([name, path]: readonly [string, string]): string => join(project.folder, 'node_modules', name, path)

beforeAll(async () => {
  const files: Record<string, string> = {}
  for (const name of FILES) files[name] = await readFile(join(import.meta.dirname, 'support', name), 'utf8')
  project = await cleanProject({
    packages: ['@svc-audio/core'],
    manifest: { type: 'module' },
    dependencies: {
      [bun[0]]: RUNTIME_VERSIONS.bun,
      [deno[0]]: RUNTIME_VERSIONS.deno,
      [workerd[0]]: RUNTIME_VERSIONS.workerd,
      '@rspack/core': '^2.3.2',
      esbuild: '^0.28.0',
      vite: '^8.3.8',
      webpack: '^5.112.2',
    },
    files,
  })
  // A stream of 200 events.
  upstream = await createTestUpstream({
    speechSeconds: 1,
    chunkBytes: 240,
    resultUrl: ({ href, pathname, search }) => (page === '' ? href : page + pathname + search),
  })
})
afterAll(async () => {
  await upstream.close()
  await project[Symbol.asyncDispose]()
})

/** Runs the jobs as a program. */
async function runProgram(program: string, ...args: string[]): Promise<unknown> {
  const env = { SVC_AUDIO_API_KEY: upstream.apiKey, SVC_AUDIO_BASE_URL: upstream.url, DENO_NO_UPDATE_CHECK: '1' }
  const { stdout, stderr } = await run(program, [...args, 'program.mjs'], { cwd: project.folder, env })
  return stdout === '' ? stderr : JSON.parse(stdout)
}

async function bundle(bundler: string, entry: string): Promise<string> {
  expect(await project.run('node', ['bundle.mjs', bundler, entry])).toMatchObject({ exitCode: 0 })
  return join(project.folder, 'out', bundler, 'page.js')
}

test.each([22, 24, 26] as const)('Node %d does every job, and no chunk follows an abort', async (major) => {
  expect(await runProgram(await nodeBinary(major))).toEqual(ALL)
})

test('Bun does every job, and no chunk follows an abort', async () => {
  expect(await runProgram(binary(bun))).toEqual(ALL)
})

test('Deno does every job, and no chunk follows an abort', async () => {
  expect(await runProgram(binary(deno), 'run', '--allow-all')).toEqual(ALL)
})

test.each([
  ['an old compatibility date without flags', '2022-11-30', ''],
  ['a new date with nodejs_compat', '2025-09-01', '"nodejs_compat"'],
])('workerd with %s does every job, and no chunk follows an abort', async (_, date, flags) => {
  const script = await bundle('workerd', 'worker.mjs')
  const port = await freePort()
  const config = join(project.folder, 'out/workerd/config.capnp')
  await writeFile(
    config,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [ (name = "main", worker = .jobs), (name = "internet", network = (allow = ["public", "private"])) ],
  sockets = [ (name = "http", address = "127.0.0.1:${port}", http = (), service = "main") ]
);
const jobs :Workerd.Worker = (
  modules = [ (name = "page.js", esModule = embed "page.js") ],
  compatibilityDate = "${date}",
  compatibilityFlags = [${flags}]
);`,
  )
  expect(script).toContain('out/workerd/page.js')
  const running = spawn(binary(workerd), ['serve', config], { stdio: 'inherit' })
  try {
    await untilListening(port)
    const response = await fetch(`http://127.0.0.1:${port}/?key=${upstream.apiKey}&url=${upstream.url}`)
    expect(JSON.parse(await response.text())).toEqual(ALL)
  } finally {
    running.kill()
  }
})

test.each(['esbuild', 'vite', 'webpack', 'rspack'])(
  'a page that %s bundles does every job in Chromium',
  async (bundler) => {
    const { url, server } = await servePage(await bundle(bundler, 'page.mjs'), upstream.url)
    const browser = await chromium.launch({
      executablePath: process.env['PLAYWRIGHT_CHROMIUM'] ?? '/usr/bin/chromium',
      args: ['--no-sandbox'],
    })
    try {
      page = url
      const tab = await browser.newPage()
      // A busy machine needs long for a large bundle.
      tab.setDefaultTimeout(120_000)
      await tab.goto(url)
      await tab.waitForFunction('globalThis.jobs')
      expect(await tab.evaluate('globalThis.jobs')).toEqual(ALL)
    } finally {
      page = ''
      await browser.close()
      server.closeAllConnections()
      server.close()
    }
  },
)
