import { spawn } from 'node:child_process'
import { cp, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { cleanProject, type CleanProject, nodeBinary, run, type RunResult } from '@svc-audio/kit/hosts'
import type { TestUpstream } from '@svc-audio/testing'
import type { Browser } from 'playwright-core'
import { createServer, preview } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listen, openBrowser } from './support/player-page.ts'
import { startSpeaker } from './support/speaker.ts'

const SITES = join(import.meta.dirname, 'sites')
const SEGMENTS = ['The harbour.', 'The boat leaves at nine.', 'It takes about an hour.']

let upstream: TestUpstream
let project: CleanProject
let browser: Browser
let env: Readonly<Record<string, string>>

beforeAll(async () => {
  upstream = await startSpeaker()
  env = {
    SVC_AUDIO_API_KEY: upstream.apiKey,
    SVC_AUDIO_BASE_URL: upstream.url,
    ASTRO_TELEMETRY_DISABLED: '1',
    NUXT_TELEMETRY_DISABLED: '1',
    NODE_ENV: '',
  }
  project = await cleanProject({
    packages: ['@svc-audio/vite-plugin'],
    manifest: { type: 'module' },
    dependencies: {
      '@mdx-js/rollup': '^3.1.1',
      '@react-router/dev': '^8.4.0',
      '@react-router/node': '^8.4.0',
      '@sveltejs/adapter-static': '*',
      '@sveltejs/kit': '^3.2.0',
      '@sveltejs/vite-plugin-svelte': '^7.3.1',
      '@vitejs/plugin-react': '^6.3.0',
      astro: '^7.3.5',
      isbot: '^5.1.0',
      nuxt: '^4.5.2',
      react: '^19.3.1',
      'react-dom': '^19.3.1',
      'react-router': '^8.4.0',
      svelte: '^5.57.1',
      typescript: '^6.0.0',
      vite: '^8.3.8',
      vite5: 'npm:vite@^5.4.0',
      vite6: 'npm:vite@~6.3.0',
      vite7: 'npm:vite@^7.3.0',
      vitepress: '2.0.0-alpha.20',
      vue: '^3.5.0',
    },
  })
  await cp(SITES, project.folder, { recursive: true })
  browser = await openBrowser()
})

afterAll(async () => {
  await browser?.close()
  await project?.[Symbol.asyncDispose]()
  await upstream?.close()
})

describe.each([
  { host: 'Astro 7', folder: 'astro', program: 'astro', out: 'dist' },
  { host: '@mdx-js/rollup with React', folder: 'mdx', program: 'vite', out: 'dist' },
  { host: 'VitePress 2', folder: 'vitepress', program: 'vitepress', out: '.vitepress/dist' },
  { host: 'A whole VitePress 2 site', folder: 'vitepress-site', program: 'vitepress', out: '.vitepress/dist' },
  { host: 'SvelteKit 3', folder: 'svelte', program: 'vite', out: 'build' },
  { host: 'React Router 8', folder: 'react-router', program: '@react-router/dev', out: 'build/client' },
  { host: 'Nuxt 4', folder: 'nuxt', program: 'nuxt', command: 'generate', out: '.output/public' },
])('$host', ({ folder, program, command = 'build', out }) => {
  test('builds, pays each text once, and its page plays', async () => {
    const before = upstream.requests.length
    const root = join(project.folder, folder)
    const { exitCode, stdout, stderr } = await runIn(root, program, [command])
    expect(`${exitCode} ${exitCode === 0 ? '' : stdout + stderr}`).toBe('0 ')
    // The first host makes the calls; the others share its cache.
    const inputs = upstream.requests.slice(before).map(({ json }) => (json as { input: string }).input)
    expect(SEGMENTS).toEqual(expect.arrayContaining(inputs))
    expect(new Set(inputs).size).toBe(inputs.length)
    const assets = await readdir(join(root, out), { recursive: true })
    expect(assets.filter((name) => name.endsWith('.mp3'))).toHaveLength(1)
    const server = await preview({
      root,
      base: '/docs/',
      configFile: false,
      logLevel: 'error',
      build: { outDir: out },
      preview: { port: 0, host: '127.0.0.1' },
    })
    try {
      await listen(browser, server.resolvedUrls?.local[0] ?? '')
    } finally {
      await server.close()
    }
  })
})

test.each([
  { host: 'VitePress 2', folder: 'vitepress', program: 'vitepress' },
  { host: 'Astro 7', folder: 'astro', program: 'astro' },
  { host: 'SvelteKit 3', folder: 'svelte', program: 'vite' },
])('a dry run of $host prints one total and one table, also when all is cached', async ({ folder, program }) => {
  const root = join(project.folder, folder)
  const empty = join(project.folder, 'empty-cache')
  for (const { more, total, state } of [
    { more: { NARRATION_CACHE: empty }, total: '1 page, 3 calls, 59 characters', state: 'planned' },
    { more: {}, total: '1 page, 0 calls, 0 characters; 3 calls are free, the cache has them', state: 'cached' },
  ]) {
    const { exitCode, stdout, stderr } = await runIn(root, program, ['build'], { NARRATION_MODE: 'dry-run', ...more })
    const printed = stdout + stderr
    expect([exitCode, exitCode === 0 ? '' : printed]).toEqual([0, ''])
    expect(printed.match(/narration: \d+ pages?, .*/g)).toEqual([`narration: ${total}`])
    expect(printed.match(new RegExp(`post\\.md +(?:[\\d:]+ +)?${state}`, 'g'))).toHaveLength(1)
  }
})

describe.each([
  { version: '6.3', name: 'vite6' },
  { version: '7.', name: 'vite7' },
  { version: '8.', name: 'vite' },
])('Vite $version', ({ version, name }) => {
  test('builds, watches, renders on the server, and plays in preview and dev under a base', async () => {
    // A folder whose plugin finds this Vite, and no other.
    const root = join(project.folder, `with-${name}`)
    await cp(join(SITES, 'vite'), root, { recursive: true })
    await mkdir(join(root, 'node_modules/@svc-audio'), { recursive: true })
    await symlink(join(project.folder, 'node_modules', name), join(root, 'node_modules/vite'))
    const plugin = 'node_modules/@svc-audio/vite-plugin'
    await cp(join(project.folder, plugin), join(root, plugin), { recursive: true })
    const child = spawn(process.execPath, ['run.mjs'], { cwd: root, env: { ...process.env, ...env } })
    const errors: string[] = []
    child.stderr.on('data', (data: Buffer) => errors.push(data.toString()))
    const steps: Record<string, Readonly<Record<string, unknown>>> = {}
    try {
      for await (const line of createInterface({ input: child.stdout })) {
        const facts: Record<string, unknown> = JSON.parse(line)
        steps[String(facts['step'])] = facts
        if (facts['step'] === 'serve') break
      }
      // Costs are printed at every log level.
      const problems = errors
        .join('')
        .split('\n')
        .filter((line) => !/^(?:narration: | {2}\S+ |$)/.test(line))
      expect([Object.keys(steps).join(' '), problems]).toEqual(['version build ssr watch serve', []])
      expect(steps['version']?.['version']).toMatch(new RegExp(`^${version.replace('.', '\\.')}`))
      expect(steps['ssr']).toMatchObject({ src: expect.stringMatching(/^\/docs\/assets\/post-.*\.mp3$/) })
      expect(steps['watch']).toMatchObject({ first: expect.stringMatching(/^\/docs\/assets\/.*\.mp3$/) })
      expect(steps['watch']?.['second']).not.toBe(steps['watch']?.['first'])
      const html = await readFile(join(root, 'dist/index.html'), 'utf8')
      expect(html).toMatch(/<audio src="\/docs\/assets\/[\w-]+\.mp3" preload="none" controls/)
      for (const served of ['preview', 'dev']) await listen(browser, String(steps['serve']?.[served]))
    } finally {
      child.stdin.end()
      child.kill()
    }
  })
})

test('a page with Opus and MP3 plays the Opus, in dev as a stream, and the MP3 where Opus is refused', async () => {
  const root = join(project.folder, 'two-sources')
  await writeFile(
    join(root, '.env.local'),
    Object.entries(env)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  )
  // First in dev: nothing is cached, so the player hears a stream that tells no length.
  const dev = await createServer({ root, logLevel: 'error', server: { port: 0, host: '127.0.0.1' } })
  try {
    await dev.listen()
    await listen(browser, dev.resolvedUrls?.local[0] ?? '', '.opus')
  } finally {
    await dev.close()
  }
  const { exitCode, stderr } = await runIn(root, 'vite', ['build'])
  expect(`${exitCode} ${exitCode === 0 ? '' : stderr}`).toBe('0 ')
  const assets = join(root, 'dist/assets')
  const names = await readdir(assets)
  const [opus = 0, mp3 = 0] = await Promise.all(
    ['.opus', '.mp3'].map(async (ending) => {
      const { size } = await stat(join(assets, names.find((name) => name.endsWith(ending)) ?? ''))
      return size
    }),
  )
  expect(opus).toBeGreaterThan(1000)
  expect(opus).toBeLessThan(mp3)
  const server = await preview({ root, configFile: false, logLevel: 'error', preview: { port: 0, host: '127.0.0.1' } })
  const url = server.resolvedUrls?.local[0] ?? ''
  try {
    await listen(browser, url, '.opus')
    await listen(browser, `${url}?without-opus`, '.mp3')
  } finally {
    await server.close()
  }
})

test('Vite 5 is refused in one line with the remedy', async () => {
  const root = join(project.folder, 'with-vite5')
  await cp(join(SITES, 'vite'), root, { recursive: true })
  const code = `
    import { narration } from '@svc-audio/vite-plugin'
    import { build } from 'vite5'
    const plugins = [narration({ voice_id: 'rms' })]
    await build({ root: ${JSON.stringify(root)}, configFile: false, logLevel: 'silent', plugins }).catch((error) => {
      console.log(error.message)
    })`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code], { cwd: project.folder, env })
  expect(stdout.trim().split('\n')).toEqual([
    expect.stringMatching(/needs Vite 6\.3 or later, and this site runs on Vite 5 or older.*use VitePress 2$/),
  ])
})

test('a Node that is too old is refused in one line that names both versions', async () => {
  const code = `import('@svc-audio/vite-plugin').catch((error) => console.log(error.message))`
  const { stdout } = await run(await nodeBinary(20), ['-e', code], { cwd: project.folder, env })
  expect(stdout.trim()).toMatch(/^@svc-audio\/vite-plugin needs Node 22\.19 or later, and this is Node 20\.[\d.]+$/)
})

/** Runs a program of the project in a folder: the CLIs read their config from there. */
async function runIn(
  root: string,
  program: string,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<RunResult> {
  // The tests' own NODE_ENV is `test`. The CLIs set this one for their builds.
  const production = { ...env, ...more, NODE_ENV: 'production' }
  return run(process.execPath, [await binary(program), ...args], { cwd: root, env: production })
}

/** The first program of a package of the project. */
async function binary(name: string): Promise<string> {
  const manifest: { bin: string | Record<string, string> } = JSON.parse(
    await readFile(join(project.folder, 'node_modules', name, 'package.json'), 'utf8'),
  )
  const path = typeof manifest.bin === 'string' ? manifest.bin : Object.values(manifest.bin)[0]
  return join(project.folder, 'node_modules', name, path ?? '')
}
