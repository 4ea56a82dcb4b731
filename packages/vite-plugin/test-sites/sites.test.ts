import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { cleanProject, type CleanProject, freePort, run, start, untilListening } from '@svc-audio/kit/hosts'
import type { TestUpstream } from '@svc-audio/testing'
import type { Browser } from 'playwright-core'
import { preview } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser } from '../test-hosts/support/player-page.ts'
import { checkPlayer, type Moves } from './support/check-player.ts'
import { startSpeaker } from '../test-hosts/support/speaker.ts'

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
    NO_COLOR: '1',
    // What Vitest tells its tests: frameworks print nothing then, and Vite's optimizer of a dev server does not end.
    VITEST: '',
    TEST: '',
    MODE: '',
    DEV: '',
    PROD: '',
    BASE_URL: '',
    SSR: '',
  }
  project = await cleanProject({
    packages: ['@svc-audio/vite-plugin'],
    manifest: { type: 'module' },
    dependencies: {
      '@astrojs/starlight': '^0.42.4',
      '@nuxt/content': '^3.16.1',
      '@sveltejs/adapter-static': '*',
      '@sveltejs/kit': '^3.2.0',
      '@sveltejs/vite-plugin-svelte': '^7.3.1',
      astro: '^7.3.5',
      mdsvex: '^0.12.8',
      nuxt: '^4.5.2',
      svelte: '^5.57.1',
      typescript: '^6.0.0',
      vite: '^8.3.8',
      vitepress: '2.0.0-alpha.20',
      vue: '^3.5.0',
    },
  })
  await cp(join(import.meta.dirname, 'sites'), project.folder, { recursive: true })
  await cp(join(import.meta.dirname, '../test-hosts/sites/vitepress-site'), join(project.folder, 'vitepress-site'), {
    recursive: true,
  })
  browser = await openBrowser()
})

afterAll(async () => {
  await browser?.close()
  await project?.[Symbol.asyncDispose]()
  await upstream?.close()
})

/** A framework whose theme asks `narrationFor` for the narration of each page. */
interface Host {
  readonly host: string
  readonly folder: string
  readonly program: string
  readonly build: string
  /** Folder of the built site. */
  readonly out: string
  readonly path: string
  readonly moves?: Moves
}

const HOSTS: readonly Host[] = [
  { host: 'Starlight', folder: 'starlight', program: 'astro', build: 'build', out: 'dist', path: 'guide/harbour/' },
  {
    host: 'A collection of Astro with view transitions',
    folder: 'astro-blog',
    program: 'astro',
    build: 'build',
    out: 'dist',
    path: 'blog/harbour/',
    moves: { move: ['Move'] },
  },
  { host: 'Nuxt Content', folder: 'nuxt-content', program: 'nuxt', build: 'generate', out: '.output/public', path: '' },
  { host: 'SvelteKit with mdsvex', folder: 'svelte-pages', program: 'vite', build: 'build', out: 'build', path: '' },
  {
    host: 'VitePress 2',
    folder: 'vitepress-site',
    program: 'vitepress',
    build: 'build',
    out: '.vitepress/dist',
    path: '',
  },
]

describe.each(HOSTS)('$host', ({ folder, program, build, out, path, moves }) => {
  test('builds a site whose pages have players, and the player passes in the built page and in dev', async () => {
    const root = join(project.folder, folder)
    const command = join(project.folder, 'node_modules/.bin', program)
    const { exitCode, stdout, stderr } = await run(command, [build], {
      cwd: root,
      env: { ...env, NODE_ENV: 'production' },
    })
    expect(`${exitCode} ${exitCode === 0 ? '' : stdout + stderr}`).toBe('0 ')
    const built = await preview({
      root,
      base: '/docs/',
      configFile: false,
      logLevel: 'error',
      build: { outDir: out },
      preview: { port: 0, host: '127.0.0.1' },
    })
    try {
      await checkPlayer(browser, `${built.resolvedUrls?.local[0] ?? ''}${path}`, moves)
    } finally {
      await built.close()
    }

    const port = await freePort()
    const args = ['dev', '--host', '127.0.0.1', '--port', String(port)]
    await using server = await start(command, program === 'vite' ? args.slice(1) : args, {
      cwd: root,
      env: { ...env, NODE_ENV: 'development' },
      ready: /:\d+\/docs|Local/,
      timeout: 300_000,
    })
    await untilListening(port)
    await checkPlayer(browser, `http://127.0.0.1:${port}/docs/${path}`, moves).catch((error: unknown) => {
      throw new Error(`The dev server printed:\n${server.output().slice(-3000)}`, { cause: error })
    })
  })
})
