import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { FORMATS } from '../src/audio/index.ts'
import type { Site } from './support/site.ts'
import { API_KEY, setUpStage } from './support/stage.ts'

const stage = setUpStage()

const PARAGRAPHS = ['One.', 'Two.', 'Three.', 'Four.', 'Five.', 'Six.']
const SITE = { 'main.js': `export { default } from './post.md?narrate'`, 'post.md': PARAGRAPHS.join('\n\n') }
const PLUGIN = new URL('../dist/index.js', import.meta.url).href
const VITE = import.meta.resolve('vite')

/** The program of a build of a site. */
function programOf(site: Site, logLevel: 'error' | 'info' = 'error'): string {
  const options = { apiKey: API_KEY, baseUrl: stage.upstream.url, voice_id: 'rms', response_format: 'flac' }
  return `
    const { build } = await import(${JSON.stringify(VITE)})
    const { narration } = await import(${JSON.stringify(PLUGIN)})
    await build({
      root: ${JSON.stringify(site.root)},
      configFile: false,
      logLevel: '${logLevel}',
      plugins: [narration(${JSON.stringify(options)})],
      build: { outDir: 'dist-' + process.pid, rollupOptions: { input: ${JSON.stringify(`${site.root}/main.js`)}, preserveEntrySignatures: 'strict' } },
    })`
}

/** A build of a site in a process of its own. */
function buildApart(site: Site): ChildProcess {
  const child = spawn(process.execPath, ['--input-type=module', '-e', programOf(site)], { stdio: 'inherit' })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

test('two processes on a cold cache make each call once', async () => {
  const site = await stage.site(SITE)
  const held = stage.hold()
  const children = [buildApart(site), buildApart(site)]
  await stage.called(2)
  held.release()
  const codes = await Promise.all(children.map((child) => once(child, 'exit')))
  expect(codes.map(([code]) => code)).toEqual([0, 0])
  expect(stage.calls.map(({ input }) => input).toSorted()).toEqual(PARAGRAPHS.toSorted())
})

test('the build after a kill is complete and repeats at most the calls in flight', async () => {
  const site = await stage.site(SITE)
  const killed = buildApart(site)
  await stage.called(2)
  const held = stage.hold()
  await stage.called(2)
  const paid = stage.calls.length
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  held.release()

  const { src, durationSeconds } = await site.buildOne()
  expect(FORMATS.flac.seconds(await site.built(src))).toBe(durationSeconds)
  expect(durationSeconds).toBeGreaterThan(6)
  const counts = Map.groupBy(stage.calls, ({ input }) => input)
  expect([...counts.keys()].toSorted()).toEqual(PARAGRAPHS.toSorted())
  // Two parallel calls were in flight.
  expect(stage.calls.length - PARAGRAPHS.length).toBeLessThanOrEqual(2)
  expect(paid).toBeGreaterThanOrEqual(3)
  expect(await site.build({ mode: 'cache-only' })).toBeDefined()
})

/** How a line is erased. */
const ERASE = '\r\u001B[K'

/** The lines of a screen after a text with carriage returns and erased lines. */
function screenOf(printed: string): readonly string[] {
  // Vite erases a line with the second one.
  const plain = printed.replaceAll('\u001B[2K\r', ERASE)
  return plain.split(/\r?\n/).map((line) => line.split(ERASE).at(-1) ?? '')
}

test.each([
  { where: 'on a terminal one line shows the progress, and the next one replaces it', isTerminal: true },
  { where: 'in a file each state has a line', isTerminal: false },
])('$where', async ({ isTerminal }) => {
  const site = await stage.site({ ...SITE, 'build.mjs': '' })
  await site.write({ 'build.mjs': programOf(site, 'info') })
  const { CI: _, ...env } = process.env
  // `script` gives its command a terminal.
  const [program, args] = isTerminal
    ? ['script', ['-qec', `${process.execPath} build.mjs`, '/dev/null']]
    : [process.execPath, ['build.mjs']]
  const held = stage.hold()
  const child = spawn(program, args, { cwd: site.root, env: { ...env, TERM: 'xterm' }, stdio: 'pipe' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  let printed = ''
  child.stdout.on('data', (data: Buffer) => (printed += String(data)))
  const states = (text: string): number => text.split('narration: 0 of 6 calls').length - 1
  await expect.poll(() => states(printed)).toBeGreaterThanOrEqual(2)
  held.release()
  expect((await ended)[0]).toBe(0)
  const lines = screenOf(printed)
  expect(lines.filter((line) => states(line) > 0).length > 0).toBe(!isTerminal)
  expect(lines).toContain('narration: 6 calls to make, 28 characters')
  expect(lines).toContainEqual(expect.stringMatching(/^narration: 1 page, 6 calls/))
  expect(printed.includes(ERASE)).toBe(isTerminal)
})
