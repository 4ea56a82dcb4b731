import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeWav } from '@svc-audio/core/audio'
import { fliteSpeech } from '@svc-audio/kit/engine-fixtures/flite-speech.ts'
import {
  respondJson,
  type ReceivedRequest,
  type ScriptedUpstream,
  startUpstream,
} from '@svc-audio/kit/engine-fixtures/openai-upstream.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { KEY, startTestService, type TestService } from './support/test-service.ts'

const RATE = 16_000
const WORDS = 'the train to the coast leaves at seven'.split(' ')
const TEXT = 'The train to the coast leaves at seven.'

/** Largest difference between a time of the engine and one of a response, in seconds. */
const TOLERANCE = 0.05

interface Timed {
  readonly start: number
  readonly end: number
}

/** The loud stretches of a recording: the engine hears a sentence in each. Pauses of the sentence are shorter. */
function loudStretches(samples: Int16Array): Timed[] {
  const frame = RATE / 100
  const stretches: { start: number; end: number }[] = []
  for (let at = 0; at + frame <= samples.length; at += frame) {
    if (!samples.subarray(at, at + frame).some((sample) => Math.abs(sample) > 600)) continue
    const [start, end] = [at / RATE, (at + frame) / RATE]
    const last = stretches.at(-1)
    if (last === undefined || start - last.end > 0.7) stretches.push({ start, end })
    else last.end = end
  }
  return stretches
}

/** The words of a stretch, of equal length. */
function wordsOf({ start, end }: Timed): (Timed & { readonly word: string })[] {
  const length = (end - start) / WORDS.length
  return WORDS.map((word, index) => ({ word, start: start + index * length, end: start + (index + 1) * length }))
}

/** What the engine hears: each stretch is a segment, which begins and ends with its words. */
const transcriptOf = ({ samples }: ReceivedRequest): object => {
  const stretches = loudStretches(samples)
  return {
    text: stretches.map(() => TEXT).join(' '),
    words: stretches.flatMap(wordsOf),
    segments: stretches.map(({ start, end }) => ({ start, end, text: ` ${TEXT}` })),
  }
}

/** A long turn of one speaker, and an interjection of another in the second sentence: words 3 and 4. */
function turnsOf(samples: Int16Array): (Timed & { readonly speaker: string })[] {
  const words = loudStretches(samples).map(wordsOf)
  const [first, last] = [words[0]?.[0], words.at(-1)?.at(-1)]
  const [from, until] = [words[1]?.[2], words[1]?.[3]]
  if (!first || !last || !from || !until) return []
  return [
    { start: first.start, end: last.end, speaker: 'SPEAKER_00' },
    { start: from.start, end: until.end, speaker: 'SPEAKER_01' },
  ]
}

let folder: string
let upstream: ScriptedUpstream
let service: TestService
let file: Uint8Array<ArrayBuffer>
/** The times that the engine has, in the recording. */
let sentences: Timed[]
let words: Timed[]
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-times-'))
  upstream = await startUpstream()
  upstream.script = (request, response) =>
    respondJson(
      response,
      200,
      request.path.endsWith('/diarization') ? { segments: turnsOf(request.samples) } : transcriptOf(request),
    )
  const enginesFile = join(folder, 'engines.yaml')
  await writeFile(
    enginesFile,
    `engines:
  far:
    driver: openai
    baseUrl: ${upstream.baseUrl}
    recognition: { model: whisper-1 }
    diarization: { model: pyannote }
bundled: [speech]
`,
  )
  service = await startTestService({ enginesFile, openaiApi: true })
  const sentence = await fliteSpeech(TEXT)
  const minute = new Int16Array(60 * RATE)
  const parts = [new Int16Array(2 * RATE), sentence, minute, sentence, minute, sentence]
  const samples = Int16Array.from(parts.flatMap((part) => Array.from(part)))
  file = encodeWav({ sampleRate: RATE, channels: 1, bitDepth: 16 }, [new Uint8Array(samples.buffer)])
  sentences = loudStretches(samples)
  words = sentences.flatMap(wordsOf)
})
afterAll(async () => {
  await service.close()
  await upstream.close()
  await rm(folder, { recursive: true, force: true })
})

async function openai(fields: Readonly<Record<string, string>>): Promise<string> {
  const form = new FormData()
  for (const [name, value] of Object.entries({ model: 'whisper-1', ...fields })) form.append(name, value)
  form.append('file', new Blob([file]), 'recording.wav')
  const headers = { authorization: `Bearer ${KEY}` }
  const response = await fetch(`${service.url}/openai/v1/audio/transcriptions`, { method: 'POST', headers, body: form })
  expect(response.status).toBe(200)
  return response.text()
}

function expectTimes(found: readonly Timed[], wanted: readonly Timed[]): void {
  expect(found).toHaveLength(wanted.length)
  for (const [index, { start, end }] of wanted.entries()) {
    expect(Math.abs((found[index]?.start ?? 0) - start), `start ${index}`).toBeLessThan(TOLERANCE)
    expect(Math.abs((found[index]?.end ?? 0) - end), `end ${index}`).toBeLessThan(TOLERANCE)
  }
}

/** The times of the cues of SRT or VTT. */
function cuesOf(subtitles: string): Timed[] {
  const seconds = (time: string): number =>
    time
      .replace(',', '.')
      .split(':')
      .reduce((sum, part) => 60 * sum + Number(part), 0)
  return Array.from(subtitles.matchAll(/^(\S+) --> (\S+)$/gm), ([, start = '', end = '']) => ({
    start: seconds(start),
    end: seconds(end),
  }))
}

/** The first speaker, the interjection, and the first speaker again. */
function turns(): Timed[] {
  const [before, said, behind] = [words.slice(0, 10), words.slice(10, 12), words.slice(12)]
  return [before, said, behind].map((some) => ({ start: some[0]?.start ?? 0, end: some.at(-1)?.end ?? 0 }))
}

describe('a recording with two pauses of a minute has the times of the engine', () => {
  test('in one request, without the silence', () => {
    expect(sentences).toHaveLength(3)
    expect(sentences[2]?.start).toBeGreaterThan(120)
  })

  test.each(['srt', 'vtt'])('in %s, whose cues begin and end with their words', async (format) => {
    const cues = cuesOf(await openai({ response_format: format }))
    expect(cues).toHaveLength(3)
    expectTimes(cues, sentences)
  })

  test('in verbose_json, with the words and the segments of the engine', async () => {
    const body = JSON.parse(
      await openai({ response_format: 'verbose_json', 'timestamp_granularities[]': 'word' }),
    ) as Record<'words' | 'segments', readonly (Timed & { readonly text?: string })[]>
    expectTimes(body.words, words)
    const { segments } = JSON.parse(await openai({ response_format: 'verbose_json' })) as typeof body
    expectTimes(segments, sentences)
    expect(segments.map(({ text }) => text?.trim())).toEqual([TEXT, TEXT, TEXT])
    for (const { start, end } of [...body.words, ...segments])
      expect(`${start} ${end}`).toMatch(/^[\d.]{1,7} [\d.]{1,7}$/)
  })

  test('in a stream, with a delta for each segment', async () => {
    const events = (await openai({ stream: 'true' }))
      .split('\n')
      .flatMap((line) =>
        line.startsWith('data: {') ? [JSON.parse(line.slice(6)) as { type: string; delta?: string }] : [],
      )
    const deltas = events.flatMap(({ type, delta = '' }) => (type === 'transcript.text.delta' ? [delta] : []))
    expect(deltas).toEqual([TEXT, ` ${TEXT}`, ` ${TEXT}`])
  })

  test('in diarized_json and in our own segments, with the interjection between two parts of the turn', async () => {
    const { segments } = JSON.parse(await openai({ response_format: 'diarized_json' })) as {
      readonly segments: readonly (Timed & { readonly speaker: string })[]
    }
    const upload = { data: file, name: 'recording.wav' }
    const own = await service.audio.transcriptions.create({ model: 'svc-transcribe-diarize-pro', file: upload })
    for (const found of [segments, 'segments' in own ? own.segments : []]) {
      expectTimes(found, turns())
      expect(found.map(({ speaker }) => speaker)).toEqual(['S01', 'S02', 'S01'])
    }
  })

  test('in subtitles with speakers, whose cues end at the pauses', async () => {
    const subtitles = await openai({ response_format: 'vtt', model: 'gpt-4o-transcribe-diarize' })
    const starts = [words[0], words[8], words[10], words[12], words[16]].map((word) => word?.start ?? 0)
    const cues = cuesOf(subtitles)
    expect(cues).toHaveLength(starts.length)
    // Cues of less than a second stay longer, up to the next one.
    for (const [index, start] of starts.entries()) {
      expect(Math.abs((cues[index]?.start ?? 0) - start)).toBeLessThan(TOLERANCE)
    }
    expect(subtitles.match(/(?<=<v )S0\d/g)).toEqual(['S01', 'S01', 'S02', 'S01', 'S01'])
  })
})
