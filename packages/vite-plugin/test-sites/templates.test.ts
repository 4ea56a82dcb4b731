import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cleanProject, type CleanProject, freePort, run, start, untilListening } from '@svc-audio/kit/hosts'
import type { TestUpstream } from '@svc-audio/testing'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser } from '../test-hosts/support/player-page.ts'
import { checkPlayer, type Moves } from './support/check-player.ts'
import { startSpeaker } from '../test-hosts/support/speaker.ts'

const TEMPLATES = join(import.meta.dirname, 'templates')
const PLUGIN = "narration({ voice_id: 'rms' })"

let creator: CleanProject
let upstream: TestUpstream
let browser: Browser
let env: Readonly<Record<string, string>>

beforeAll(async () => {
  upstream = await startSpeaker()
  env = { SVC_AUDIO_API_KEY: upstream.apiKey, SVC_AUDIO_BASE_URL: upstream.url, NODE_ENV: '' }
  creator = await cleanProject({ packages: [], dependencies: { 'create-vite': '^9.3.0' } })
  browser = await openBrowser()
})

afterAll(async () => {
  await browser?.close()
  await creator?.[Symbol.asyncDispose]()
  await upstream?.close()
})

/** What a template needs beside its page: Vue must know which tags are elements of the browser. */
interface Template {
  readonly template: string
  readonly config?: readonly [string, string]
  /** Its checker of types, where the build has none. */
  readonly check?: string
  readonly moves: Moves
}

const TEMPLATE_LIST: readonly Template[] = [
  { template: 'react-ts', moves: { move: ['Move'] } },
  { template: 'preact-ts', moves: { move: ['Move'] } },
  {
    template: 'vue-ts',
    config: [
      'vue()',
      "vue({ template: { compilerOptions: { isCustomElement: (tag) => tag === 'narration-player' } } })",
    ],
    moves: { move: ['Move'], leave: 'Leave' },
  },
  { template: 'svelte-ts', check: 'check', moves: { move: ['Move'] } },
  { template: 'solid-ts', moves: { move: ['Move'] } },
  { template: 'lit-ts', moves: { move: ['Move'] } },
]

describe.each(TEMPLATE_LIST)("create-vite's $template", ({ template, config, check, moves }) => {
  test('type-checks, builds, and its player passes in the built page and in dev', async () => {
    await using project = await create(template, config)
    for (const script of check === undefined ? ['build'] : [check, 'build']) {
      const { exitCode, stdout, stderr } = await run('npm', ['run', script], { cwd: project.folder, env })
      expect(`${exitCode} ${exitCode === 0 ? '' : stdout + stderr}`).toBe('0 ')
    }
    for (const command of ['preview', 'dev']) {
      const port = await freePort()
      const args = [command, '--host', '127.0.0.1', '--port', String(port), '--strictPort']
      await using server = await start('node_modules/.bin/vite', args, {
        cwd: project.folder,
        env: { ...env, NO_COLOR: '1' },
        ready: /http:\/\/127\.0\.0\.1/,
      })
      await untilListening(port)
      await checkPlayer(browser, `http://127.0.0.1:${port}/`, moves).catch((error: unknown) => {
        throw new Error(`${command} of ${template} failed; its server printed:\n${server.output()}`, { cause: error })
      })
    }
  })
})

/** Creates a template as a user does, adds the plugin to its configuration and its types, and our page over its own. */
async function create(template: string, config: readonly [string, string] | undefined): Promise<CleanProject> {
  const made = await creator.run('create-vite', [template, '--template', template, '--no-interactive'])
  expect(made.exitCode).toBe(0)
  const source = join(creator.folder, template)
  const manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
    dependencies?: Record<string, string>
    devDependencies?: Record<string, string>
  }
  const project = await cleanProject({
    packages: ['@svc-audio/vite-plugin'],
    manifest: { type: 'module', scripts: manifest.scripts },
    dependencies: { ...manifest.dependencies, ...manifest.devDependencies },
  })
  const filter = (path: string): boolean => !path.endsWith('package.json')
  await cp(source, project.folder, { recursive: true, filter })
  await cp(join(TEMPLATES, template), project.folder, { recursive: true })
  await addPlugin(join(project.folder, 'vite.config.ts'), config)
  for (const name of ['tsconfig.app.json', 'tsconfig.json']) {
    await edit(join(project.folder, name), (text) =>
      text.replace('"vite/client"', '"vite/client", "@svc-audio/vite-plugin/client"'),
    )
  }
  return project
}

/** Lit's template has no configuration. */
async function addPlugin(path: string, [from, to]: readonly [string, string] = ['', '']): Promise<void> {
  const added = "import { narration } from '@svc-audio/vite-plugin'\n"
  const isThere = await edit(
    path,
    (text) => added + text.replace(from, to).replace('plugins: [', `plugins: [${PLUGIN}, `),
  )
  if (isThere) return
  await writeFile(
    path,
    `${added}import { defineConfig } from 'vite'\n\nexport default defineConfig({ plugins: [${PLUGIN}] })\n`,
  )
}

/** Changes a file. @returns whether there is one */
async function edit(path: string, change: (text: string) => string): Promise<boolean> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined) return false
  await writeFile(path, change(text))
  return true
}
