import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { status } from '@svc-audio/testing'
import { expect, test } from 'vitest'
import { API_KEY, setUpStage, SPEECH } from './support/stage.ts'

const stage = setUpStage()

const PLUGIN = new URL('../dist/index.js', import.meta.url).href
const VITE = join(dirname(fileURLToPath(import.meta.resolve('vite/package.json'))), 'bin/vite.js')

/** Runs `vite build` as a command. @returns Its exit code */
function build(root: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const { NODE_ENV: _, VITEST: _vitest, ...env } = process.env
    const child = execFile(process.execPath, [VITE, 'build'], { cwd: root, env }, () =>
      resolve(child.exitCode ?? undefined),
    )
  })
}

test.each([
  { what: 'that costs too much', code: 3, options: { maxCharacters: 1 } },
  { what: 'whose cache lacks audio that it may not make', code: 3, options: { mode: 'cache-only' } },
  { what: 'whose service refuses the key', code: 4, answer: status(401) },
  { what: 'whose text cannot be narrated', code: 5, text: '---\nskip: 1\n---\nOne.' },
  { what: 'with another fault', code: 1, main: 'export default (' },
  { what: 'that succeeds', code: 0 },
])('the exit code of a build $what is $code', async ({ code, options = {}, answer, text = 'One.', main = '' }) => {
  if (answer !== undefined) stage.upstream.on(SPEECH, answer)
  const own = { apiKey: API_KEY, baseUrl: stage.upstream.url, voice_id: 'rms', ...options }
  const site = await stage.site({
    'post.md': text,
    'main.js': `import { src } from './post.md?narrate'\nconsole.log(src)\n${main}`,
    'vite.config.mjs': `
      const { narration } = await import(${JSON.stringify(PLUGIN)})
      export default { plugins: [narration(${JSON.stringify(own)})], build: { rollupOptions: { input: 'main.js' } } }`,
  })
  expect(await build(site.root)).toBe(code)
})
