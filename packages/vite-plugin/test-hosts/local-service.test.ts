import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cleanProject, type CleanProject } from '@svc-audio/kit/hosts'
import type { Browser } from 'playwright-core'
import { preview } from 'vite'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openBrowser, PlayerPage } from './support/player-page.ts'

const CONFIG = `import { narration } from '@svc-audio/vite-plugin'
import { defineConfig } from 'vite'
export default defineConfig({ plugins: [narration({ service: 'local' })] })
`
const LONG = Array.from({ length: 6 }, (_, index) => `<p>Sentence number ${index} of a page that takes a while.</p>`)

/** A build that runs. */
interface Build {
  readonly child: ChildProcess
  readonly printed: () => string
}

let project: CleanProject
let browser: Browser

beforeAll(async () => {
  project = await cleanProject({
    packages: ['@svc-audio/vite-plugin', '@svc-audio/service'],
    manifest: { type: 'module' },
    dependencies: { vite: '^8.3.8' },
    files: {
      'vite.config.js': CONFIG,
      'build.js': PROGRAM,
      'index.html': '<!doctype html><article data-narrate><h1>Trains</h1><p>The train leaves at seven.</p></article>',
      'long.html': `<!doctype html><article data-narrate>${LONG.join('')}</article>`,
    },
  })
  browser = await openBrowser()
})

afterAll(async () => {
  await browser?.close()
  await project?.[Symbol.asyncDispose]()
})

/** A build as a program: newer versions of Vite let its command build a project once at a time. */
const PROGRAM = `import { build } from 'vite'
await build({ build: { outDir: process.argv[2] } })
`

/** Starts a build that prints into a text. */
function start(program = 'node_modules/vite/bin/vite.js', argument = 'build'): Build {
  const { NODE_ENV: _, SVC_AUDIO_API_KEY: _key, SVC_AUDIO_BASE_URL: _url, ...env } = process.env
  const child = spawn(process.execPath, [program, argument], { cwd: project.folder, env })
  onTestFinished(() => void child.kill('SIGKILL'))
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (printed += String(data)))
  return { child, printed: () => printed }
}

/** Processes whose command line names the folder of the project: services and their engines. */
async function servicesLeft(): Promise<readonly string[]> {
  const listed = await new Promise<string>((resolve) => execFile('ps', ['-eo', 'args'], (_, out) => resolve(out)))
  return listed.split('\n').filter((line) => line.includes(project.folder))
}

/** Data folders of services. */
async function dataFolders(): Promise<readonly string[]> {
  return readdir(join(project.folder, 'node_modules/.cache/svc-audio-service')).catch(() => [])
}

test('with two installs and three lines of configuration, a page speaks without an account', async () => {
  const { child, printed } = start()
  const [code] = await once(child, 'exit')
  expect([code, code === 0 ? '' : printed()]).toEqual([0, ''])
  expect(printed().match(/^narration: @svc-audio\/service [\d.]+ speaks on this machine, at http:.*$/gm)).toHaveLength(
    1,
  )
  // Engines end with their service.
  await expect.poll(servicesLeft, { timeout: 30_000 }).toEqual([])
  await expect.poll(dataFolders, { timeout: 30_000 }).toEqual([])
  const server = await preview({
    root: project.folder,
    configFile: false,
    logLevel: 'error',
    preview: { port: 0, host: '127.0.0.1' },
  })
  try {
    const page = await PlayerPage.open(browser, server.resolvedUrls?.local[0] ?? '')
    await page.click('Play')
    await page.until(({ second, problem }) => second > 0.05 && problem === '')
    await page.close()
  } finally {
    await server.close()
  }
  // A build whose audio is complete starts nothing.
  const again = start()
  expect((await once(again.child, 'exit'))[0]).toBe(0)
  expect(again.printed()).not.toContain('speaks on this machine')
})

test('two builds at once have a service each, and make each call once', async () => {
  const text = await readFile(join(project.folder, 'index.html'), 'utf8')
  await writeFile(join(project.folder, 'index.html'), text.replace('seven', 'eight').replace('Trains', 'Boats'))
  const both = [start('build.js', 'one'), start('build.js', 'two')]
  const codes = await Promise.all(both.map(async ({ child }) => (await once(child, 'exit'))[0]))
  expect([codes, codes.every((code) => code === 0) ? '' : both.map(({ printed }) => printed())]).toEqual([[0, 0], ''])
  const made = both.map(({ printed }) => Number(/^narration: 1 page, (\d+) calls?/m.exec(printed())?.[1]))
  expect((made[0] ?? 0) + (made[1] ?? 0)).toBe(2)
  // Engines end with their service.
  await expect.poll(servicesLeft, { timeout: 30_000 }).toEqual([])
  await expect.poll(dataFolders, { timeout: 30_000 }).toEqual([])
})

test.each(['SIGINT', 'SIGKILL'] as const)(
  '%s in the middle of a build leaves no process and no data',
  async (signal) => {
    const long = await readFile(join(project.folder, 'long.html'), 'utf8')
    await writeFile(join(project.folder, 'index.html'), long.replaceAll('number', signal))
    const { child, printed } = start()
    await expect.poll(printed, { timeout: 120_000 }).toContain('calls to make')
    expect((await servicesLeft()).length).toBeGreaterThan(0)
    child.kill(signal)
    await once(child, 'exit')
    await expect.poll(servicesLeft, { timeout: 30_000 }).toEqual([])
    await expect.poll(dataFolders, { timeout: 30_000 }).toEqual([])
  },
)
