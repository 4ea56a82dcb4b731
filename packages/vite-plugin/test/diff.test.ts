import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { diffLines, diffReports, parseReport } from '../src/build/report.ts'
import { setUpStage } from './support/stage.ts'

const stage = setUpStage()
const PROGRAM = join(import.meta.dirname, '../dist/cli.js')

const MAIN = `export const pages = import.meta.glob('./*.md', { query: '?narrate', import: 'default', eager: true })`

/** Runs the program. Resolves to its output, and its exit code. */
async function program(...args: readonly string[]): Promise<{ out: string; error: string; code: unknown }> {
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [PROGRAM, ...args])
    return { out: stdout, error: stderr, code: 0 }
  } catch (error) {
    const { stdout, stderr, code } = error as { stdout: string; stderr: string; code: unknown }
    return { out: stdout, error: stderr, code }
  }
}

test('diff prints the pages and the cost of a change, as text and as JSON, without a call', async () => {
  const site = await stage.site({ 'main.js': MAIN, 'a.md': 'One.\n\nTwo.', 'b.md': 'Three.', 'old.md': 'Four.' })
  await site.build({ mode: 'dry-run', report: 'reports/before.json' })
  const [before, after] = ['before', 'after'].map((name) => join(site.root, `reports/${name}.json`))
  await site.write({ 'a.md': 'One.\n\nTwo again.', 'c.md': 'Two again.\n\nFive.', 'old.md': '' })
  await site.build({ mode: 'dry-run', report: 'reports/after.json' })
  expect(stage.calls).toEqual([])

  const text = await program('diff', String(before), String(after), '--price-per-million', '100')
  expect(text).toEqual({
    code: 0,
    error: '',
    out: [
      'narration: 3 pages changed, 2 calls, 15 characters, cost 0.0015; 2 calls are free',
      '  a.md    changed  1 call, 10 characters',
      '  c.md    new      2 calls, 15 characters',
      '  old.md  removed',
      '',
    ].join('\n'),
  })
  const json = await program('diff', String(before), String(after), '--json')
  expect(JSON.parse(json.out)).toEqual({
    pages: [
      { page: 'a.md', change: 'changed', calls: 1, characters: 10 },
      { page: 'c.md', change: 'new', calls: 2, characters: 15 },
      { page: 'old.md', change: 'removed', calls: 0, characters: 0 },
    ],
    calls: 2,
    characters: 15,
    free: 2,
  })

  const limited = await program('diff', String(before), String(after), '--max-characters', '14')
  expect([limited.code, limited.error]).toEqual([3, expect.stringContaining('would send 15 characters')])
})

test('a report lists calls that are cached, so that a narrated main costs nothing', async () => {
  const site = await stage.site({ 'main.js': MAIN, 'a.md': 'One.' })
  await site.build({ report: 'before.json' })
  await site.build({ report: 'after.json' })
  const [before, after] = await Promise.all(
    ['before', 'after'].map(async (name) => parseReport(await readFile(join(site.root, `${name}.json`), 'utf8'), name)),
  )
  if (before === undefined || after === undefined) throw new Error('A report is missing')
  expect(after.pages).toMatchObject([{ page: 'a.md', state: 'cached', calls: [{ characters: 4 }] }])
  expect(diffReports(before, after)).toEqual({ pages: [], calls: 0, characters: 0, free: 1 })
  expect(diffLines(diffReports(before, after))).toEqual([
    'narration: 0 pages changed, 0 calls, 0 characters; 1 call is free',
  ])
})

test('a failing build writes no report', async () => {
  const site = await stage.site({ 'main.js': MAIN, 'a.md': 'One.' })
  await expect(site.build({ report: 'r.json', mode: 'cache-only' })).rejects.toThrow('a.md cannot be narrated')
  await expect(readFile(join(site.root, 'r.json'))).rejects.toThrow('ENOENT')
})

test('wrong arguments and files are named with the remedy', async () => {
  const site = await stage.site({})
  const other = join(site.root, 'package.json')
  await writeFile(other, '{"version": 1}')
  expect((await program('--help')).out).toContain('Usage: svc-audio-narration diff')
  expect((await program('cost')).error).toContain('name the command and two reports')
  expect((await program('diff', 'none.json', 'none.json')).error).toMatch(
    /cannot read none\.json\. Build with narration/,
  )
  expect((await program('diff', other, other)).error).toContain('is no report of narration({ report })')
  expect((await program('diff', other, other, '--price-per-million', 'x')).error).toContain('must be a number')
  expect((await program('--jsn')).error).toContain('Unknown option --jsn; did you mean --json? (see --help)')
  expect(() => parseReport('{"version":1,"pages":[{}]}', 'r.json')).toThrow('r.json has a page without its name')
  expect(() => parseReport('{"version":1,"pages":[{"page":"a","state":"new","calls":[1]}]}', 'r.json')).toThrow(
    'r.json: a call of a has no key',
  )
})
