import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RecognizedWord } from '@svc-audio/engine-ports'
import { createMoonshineEngine } from '@svc-audio/engines'
import { startService } from '@svc-audio/service'
import { beforeAll, expect, test } from 'vitest'
import { cuesOf, type ShownCue, WholeSite } from './support/whole-site.ts'

/** Three pages of prose, with some code in it: eight minutes of speech. */
const PAGES = ['03-architecture/accessibility', '03-architecture/fast-refresh', '04-community/02-rspack']
const KEY = 'captions'
const RATE = 16_000

/** How far the start of a cue is from its first word, in seconds. */
interface Distance {
  readonly seconds: number
  /** Whether the cue begins where the voice makes a pause. */
  readonly isAtPause: boolean
}

let distances: readonly Distance[]

beforeAll(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'captions-'))
  await using site = await WholeSite.create()
  const service = await startService({
    dataDir,
    port: 0,
    apiKeys: new Map([[KEY, 'tenant']]),
    logLevel: 'silent',
  })
  const pages = `docs/{${PAGES.join(',')}}.md`
  await site.build({ SVC_AUDIO_API_KEY: KEY, SVC_AUDIO_BASE_URL: service.url, PAGES: pages })
  await service.close()
  const audio = [...(await site.assets('.mp3'))].toSorted(([a], [b]) => a.localeCompare(b))
  const captions = [...(await site.assets('.vtt'))].toSorted(([a], [b]) => a.localeCompare(b))
  if (audio.length !== 3 || captions.length !== 3) throw new Error(`The site has ${audio.length} narrations, not three`)
  const engine = await createMoonshineEngine({ workers: 1 })
  const found: Distance[] = []
  for (const [index, [, bytes]] of audio.entries()) {
    const { words } = await engine.recognize(chunksOf(pcmOf(bytes)))
    found.push(...distancesOf(cuesOf((captions[index]?.[1] ?? '').toString()), words))
  }
  await engine.close()
  distances = found
  const share = (limit: number, list = distances): string =>
    `${list.filter(({ seconds }) => Math.abs(seconds) <= limit).length} of ${list.length}`
  const atPause = distances.filter(({ isAtPause }) => isAtPause)
  console.log(`within 0.15 s: ${share(0.15)}; at pauses: ${share(0.15, atPause)}; within 0.05 s: ${share(0.05)}`)
  await rm(dataDir, { recursive: true, force: true })
})

test('cues that begin at a pause of the voice start within 150 ms of their first recognized word', () => {
  const atPause = distances.filter(({ isAtPause }) => isAtPause)
  expect(atPause.length).toBeGreaterThan(50)
  const near = atPause.filter(({ seconds }) => Math.abs(seconds) <= 0.15)
  // The words of code in a line, e.g. `[x]`, are spoken by the voice in its own way.
  expect(near.length / atPause.length).toBeGreaterThan(0.95)
})

test('of all cues, those inside of long clauses too, nine of ten do', () => {
  const near = distances.filter(({ seconds }) => Math.abs(seconds) <= 0.15)
  expect(near.length / distances.length).toBeGreaterThan(0.9)
})

/** Decodes MP3 as the recognizer needs it. */
function pcmOf(mp3: Uint8Array): Buffer {
  const args = ['-v', 'error', '-i', 'pipe:0', '-ac', '1', '-ar', String(RATE), '-f', 's16le', 'pipe:1']
  const { stdout, stderr, status } = spawnSync('ffmpeg', args, { input: mp3, maxBuffer: 2 ** 28 })
  expect(`${status} ${stderr.toString()}`).toBe('0 ')
  return stdout
}

async function* chunksOf(pcm: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < pcm.byteLength; at += 2 * RATE) yield pcm.subarray(at, at + 2 * RATE)
}

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}' ]/gu, ' ')
    .split(/\s+/)
    .filter((word) => word !== '')

/** Compares cues whose first two words were recognized, one after the other. */
function distancesOf(cues: readonly ShownCue[], heard: readonly RecognizedWord[]): Distance[] {
  const said = cues.flatMap((cue, index) => wordsOf(cue.lines.join(' ')).map((word, at) => ({ word, index, at })))
  const pairs = commonWords(
    said.map(({ word }) => word),
    heard.map(({ word }) => wordsOf(word).join('')),
  )
  return said.flatMap(({ index, at }, position) => {
    const word = pairs.get(position)
    const cue = cues[index]
    if (at !== 0 || word === undefined || cue === undefined || pairs.get(position + 1) !== word + 1) return []
    const before = cues[index - 1]?.endSecond ?? 0
    const isAtPause = cue.startSecond - before > 0.001
    return [{ seconds: cue.startSecond - (heard[word]?.startSecond ?? 0), isAtPause }]
  })
}

/** The longest common subsequence: positions in the first list with those in the second. */
function commonWords(first: readonly string[], second: readonly string[]): Map<number, number> {
  const width = second.length + 1
  const lengths = new Uint16Array((first.length + 1) * width)
  const at = (one: number, two: number): number => lengths[one * width + two] ?? 0
  for (let one = first.length - 1; one >= 0; one -= 1) {
    for (let two = second.length - 1; two >= 0; two -= 1) {
      lengths[one * width + two] =
        first[one] === second[two] ? at(one + 1, two + 1) + 1 : Math.max(at(one + 1, two), at(one, two + 1))
    }
  }
  const pairs = new Map<number, number>()
  let [one, two] = [0, 0]
  while (one < first.length && two < second.length) {
    if (first[one] === second[two]) pairs.set(one++, two++)
    else if (at(one + 1, two) >= at(one, two + 1)) one += 1
    else two += 1
  }
  return pairs
}
