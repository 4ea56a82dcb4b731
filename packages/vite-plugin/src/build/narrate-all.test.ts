import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApiError, type PureAudioClient } from '@svc-audio/core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { wavOf } from '@svc-audio/kit/hosts/audio-files'
import { MissingNarrationError } from '../errors.ts'
import { Narrator, type NarrationMode } from '../narrator/narrator.ts'
import type { NarrationOptions } from '../options.ts'
import { PageReader } from '../source/page.ts'
import { WarmNotes } from '../warm-notes.ts'
import { BuildCosts } from './costs.ts'
import { narrateAll, type Outcome, pageName, type PendingAsset, PlanError } from './narrate-all.ts'
import type { ReportRow } from './report.ts'

let folder = ''
let spoken: string[] = []
/** Texts that the service refuses, with the status. */
let refused: Record<string, number> = {}
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'narrate-all-'))
  spoken = []
  refused = {}
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** A client without a service: it speaks tones. */
const client = {
  speech: {
    create: async ({ input }: { readonly input: string }) => {
      const status = refused[input]
      if (status !== undefined) throw new ApiError(`refused ${input}`, { status })
      spoken.push(input)
      return { bytes: async () => wavOf(Array<number>(160 * input.length).fill(900)), contentType: 'audio/wav' }
    },
  },
} as unknown as PureAudioClient

const narratorFor = (mode: NarrationMode = 'auto', more: object = { client }): Narrator =>
  new Narrator(
    { cacheDir: join(folder, 'cache'), concurrency: 1, mode, encode: undefined, ...more },
    new WarmNotes(join(folder, 'notes.json'), 'v'),
  )

async function planOf(name: string, content: string): Promise<PendingAsset> {
  const reader = new PageReader({ voice_id: 'rms', response_format: 'wav' })
  const page = await reader.read({ file: `/site/${name}`, query: 'narrate', source: name }, () => content)
  return { name, shownName: `${name}?narrate`, file: `/site/${name}`, page }
}

interface Run {
  readonly rows: readonly ReportRow[]
  readonly outcomes: readonly Outcome[]
  readonly lines: readonly string[]
}

/** Runs a build of these pages, by name. */
async function run(
  pages: Readonly<Record<string, string>>,
  options: Pick<NarrationOptions, 'mode' | 'maxCharacters' | 'onFailure'> = {},
  narrator = narratorFor(options.mode),
): Promise<Run> {
  const assets = await Promise.all(Object.entries(pages).map(([name, content]) => planOf(name, content)))
  const [outcomes, lines]: [Outcome[], string[]] = [[], []]
  const take = async (outcome: Outcome): Promise<void> => void outcomes.push(outcome)
  const costs = new BuildCosts(options)
  costs.begin(costs, { say: (line) => void lines.push(line) })
  const rows = await narrateAll(assets, { ...options, narrator, costs, take, readers: 2 })
  return { rows: rows.toSorted((a, b) => (a.source < b.source ? -1 : 1)), outcomes, lines }
}

/** The error of a build that fails. */
async function errorOf(building: Promise<unknown>): Promise<unknown> {
  return building.then(
    () => undefined,
    (error: unknown) => error,
  )
}

const PAGES = { 'a.md': 'One.\n\nTwo.', 'b.md': 'Two.\n\nThree.' }
const states = ({ rows }: Run): string[] =>
  rows.map(({ source, state, calls, characters }) => `${source} ${state} ${calls} ${characters}`)

describe('the count of a build', () => {
  test('a text of two pages is one call, announced and charged once', async () => {
    const { rows, lines } = await run(PAGES)
    expect(lines).toEqual(['narration: 3 calls to make, 14 characters'])
    expect(spoken.toSorted()).toEqual(['One.', 'Three.', 'Two.'])
    expect(rows.reduce((sum, row) => sum + row.characters, 0)).toBe(14)
    expect(rows.map(({ durationSeconds }) => durationSeconds)).toEqual([expect.any(Number), expect.any(Number)])
  })

  test('a text twice in a page is one call', async () => {
    expect(states(await run({ 'a.md': 'Two.\n\nTwo.\n\nTwo.' }))).toEqual(['a.md part 1 4'])
  })

  test('a page is new, part or cached, by the calls that it needs', async () => {
    expect(states(await run({ 'a.md': 'One.\n\nTwo.' }))).toEqual(['a.md new 2 8'])
    expect(states(await run({ 'a.md': 'One.\n\nThree.' }))).toEqual(['a.md part 1 6'])
    expect(states(await run({ 'a.md': 'Three.\n\nOne.' }))).toEqual(['a.md cached 0 0'])
    expect(spoken).toEqual(['One.', 'Two.', 'Three.'])
  })

  test('characters are code points', async () => {
    expect(states(await run({ 'a.md': 'Go 𠮷.' }))).toEqual(['a.md new 1 5'])
  })

  test.each([
    [14, undefined],
    [13, 'maxCharacters is 13, and this build would send 14 characters in 3 calls: '],
  ])('the count of a build of 14 characters, maxCharacters %i has the error %o', async (maxCharacters, start) => {
    const error = await errorOf(run(PAGES, { maxCharacters }))
    expect((error as Error | undefined)?.message.slice(0, start?.length)).toBe(start)
    expect(spoken).toHaveLength(start === undefined ? 3 : 0)
  })

  test('maxCharacters holds for warn too, and a dry run may exceed it', async () => {
    expect(await errorOf(run(PAGES, { maxCharacters: 1, onFailure: 'warn' }))).toBeInstanceOf(Error)
    expect(states(await run(PAGES, { maxCharacters: 1, mode: 'dry-run' }))).toHaveLength(2)
  })

  test('a dry run counts each page by itself, and needs no key', async () => {
    const dry = await run(PAGES, { mode: 'dry-run' }, narratorFor('dry-run', {}))
    expect(states(dry)).toEqual(['a.md planned 2 8', 'b.md planned 2 10'])
    expect(dry.outcomes.map(({ page, segments }) => [page, segments])).toEqual([
      [undefined, []],
      [undefined, []],
    ])
    expect([dry.lines, spoken]).toEqual([[], []])
  })

  test('an empty page has no row, and a build of them announces nothing', async () => {
    expect(await run({ 'a.md': '', 'b.md': '---\nskip: true\n---\nText.' })).toEqual({
      rows: [],
      outcomes: [],
      lines: [],
    })
  })
})

describe('a failure', () => {
  test('names the asset of the text that was refused', async () => {
    refused = { 'Three.': 400 }
    const error = await errorOf(run(PAGES))
    expect(error).toBeInstanceOf(PlanError)
    expect(error).toMatchObject({ asset: { name: 'b.md' }, cause: { status: 400 }, message: 'refused Three.' })
  })

  test('a failure with warn leaves the page without audio, and makes the others', async () => {
    refused = { 'Three.': 400 }
    const warned = await run(PAGES, { onFailure: 'warn' })
    expect(states(warned)).toEqual(['a.md new 2 8', 'b.md failed 0 0'])
    expect(warned.outcomes.find(({ asset }) => asset.name === 'b.md')).toMatchObject({
      page: undefined,
      segments: [],
      warning: { status: 400 },
    })
  })

  test.each([
    [400, 2],
    [404, 2],
    [401, 1],
    [403, 1],
    [429, 1],
    [503, 1],
  ])('a failure of status %i lets the build make %i of 2 pages, with warn', async (status, made) => {
    refused = { 'Bad.': status }
    await run({ 'a.md': 'Good.', 'b.md': 'Bad.', 'c.md': 'Fine.' }, { onFailure: 'warn' })
    expect(spoken).toEqual(['Good.', 'Fine.'].slice(0, made))
  })

  test('a failure with stale has the last audio and its captions, in its own length', async () => {
    const [before] = (await run({ 'a.md': 'Old text.' })).outcomes
    refused = { 'New.': 503 }
    const stale = await run({ 'a.md': 'New.' }, { onFailure: 'stale' })
    expect(states(stale)).toEqual(['a.md stale 0 0'])
    expect(stale.outcomes[0]).toMatchObject({
      segments: [{ written: 'Old text.' }],
      page: { sha256: before?.page?.sha256 },
    })
    expect(stale.rows[0]?.durationSeconds).toBe(before?.page?.durationSeconds)
    expect(states(await run({ 'b.md': 'New.' }, { onFailure: 'stale' }))).toEqual(['b.md failed 0 0'])
  })

  test('a failure in cache-only names the text, and makes no call', async () => {
    const error = await errorOf(run(PAGES, { mode: 'cache-only' }))
    expect((error as PlanError).cause).toBeInstanceOf(MissingNarrationError)
    const warned = await run(PAGES, { mode: 'cache-only', onFailure: 'warn' })
    expect(states(warned)).toEqual(['a.md failed 0 0', 'b.md failed 0 0'])
    expect([warned.lines, spoken]).toEqual([[], []])
  })

  test('a failure without a key or an address is told before the count', async () => {
    const keyless = narratorFor('auto', {})
    const error = await errorOf(run(PAGES, { maxCharacters: 1 }, keyless))
    expect(error).toMatchObject({ name: 'PlanError', asset: { name: 'a.md' } })
    expect((error as Error).message).toMatch(/^apiKey is missing: .*SVC_AUDIO_API_KEY/)
    const homeless = narratorFor('auto', { apiKey: 'a-key-of-the-tests' })
    expect(((await errorOf(run(PAGES, {}, homeless))) as Error).message).toMatch(
      /^baseUrl is missing: .*SVC_AUDIO_BASE_URL/,
    )
  })
})

test.each([
  ['a.md?narrate', 'a.md'],
  ['a.md?narrate=', 'a.md'],
  ['a.md?voice_id=slt&narrate', 'a.md?voice_id=slt'],
  ['index.html', 'index.html'],
])('%s is the page %s', (shownName, name) => {
  expect(pageName({ shownName } as PendingAsset)).toBe(name)
})
