import { spawnSync } from 'node:child_process'
import { encodeWav } from '@svc-audio/core/audio'
import { aigcChunk } from '@svc-audio/core/adapter'
import { audioBytes } from '@svc-audio/testing'
import { beforeAll, expect, test } from 'vitest'
import { parseVtt } from '../player/parse-vtt.ts'
import { FORMATS, type NarrationFormat } from '../src/audio/index.ts'
import type { Narration } from '../src/index.ts'
import { setUpStage, SPEECH, type SpeechCall } from '../test/support/stage.ts'

const RATE = 16_000
const MARKING = '{"AIGC":{"Label":"1"}}'
const PARAGRAPHS = ['The loud one.', 'The quiet one.', 'The one between.']
/** Highest samples of the three, 8 dB from the loudest to the quietest. */
const PEAKS: Readonly<Record<string, number>> = { 'The loud one.': 16_000, 'The quiet one.': 6400 }
const SITE = { 'main.js': `export { default } from './post.md?narrate'`, 'post.md': PARAGRAPHS.join('\n\n') }

const stage = setUpStage()

beforeAll(() => {
  const { error } = spawnSync('ffmpeg', ['-version'])
  if (error !== undefined) throw new Error('These tests need ffmpeg on PATH: apt-get install ffmpeg', { cause: error })
})

/** A second of a voice-like tone between two silences. */
function spoken({ input }: SpeechCall): Uint8Array {
  const peak = PEAKS[input] ?? 10_000
  const samples = Int16Array.from({ length: RATE * 1.4 }, (_, index) => {
    const isSilent = index < RATE * 0.2 || index >= RATE * 1.2
    return isSilent ? 0 : Math.round(peak * (0.7 * Math.sin(index / 11) + 0.3 * Math.sin(index / 5)))
  })
  return encodeWav(
    { sampleRate: RATE, channels: 1, bitDepth: 16 },
    [new Uint8Array(samples.buffer)],
    aigcChunk(MARKING),
  )
}

/** Runs ffmpeg with a file on its standard input. */
function ffmpeg(input: Uint8Array, args: readonly string[]): Buffer {
  const { stdout, stderr, status } = spawnSync('ffmpeg', ['-v', 'error', '-i', 'pipe:0', ...args], {
    input,
    maxBuffer: 2 ** 26,
  })
  expect(`${status} ${stderr.toString()}`).toBe('0 ')
  return stdout
}

/** How loud decoded audio is between two times, in dB. */
function decibels(pcm: Buffer, startSecond: number, endSecond: number): number {
  const from = Math.round(startSecond * RATE)
  const until = Math.min(Math.round(endSecond * RATE), pcm.byteLength / 2)
  let sum = 0
  for (let index = from; index < until; index += 1) sum += pcm.readInt16LE(index * 2) ** 2
  return 10 * Math.log10(sum / (until - from))
}

interface Built extends Narration {
  readonly audio: Buffer
  readonly cues: readonly { readonly startSecond: number; readonly endSecond: number }[]
}

async function built(options: Parameters<typeof stage.site>[1]): Promise<Built> {
  stage.upstream.on(SPEECH, async (exchange) => {
    await exchange.received()
    const call = exchange.request.json as SpeechCall
    const wav = spoken(call)
    if (call.response_format === 'wav') return audioBytes(wav, 'audio/wav')
    return audioBytes(ffmpeg(wav, ['-b:a', '64k', '-f', call.response_format, 'pipe:1']), 'audio/mpeg')
  })
  const site = await stage.site(SITE)
  const narration = await site.buildOne({ aigc_metadata: { enabled: true }, ...options })
  const { cues } = parseVtt((await site.built(narration.captions)).toString('utf8'))
  return { ...narration, audio: await site.built(narration.src), cues }
}

/** Start-up samples of a codec whose container does not tell them, in seconds. */
const ADDED: Readonly<Record<NarrationFormat, number>> = { wav: 0, flac: 0, opus: 0.001, mp3: 0.001, aac: 0.13 }

test.each(Object.keys(FORMATS) as NarrationFormat[])(
  "encoder: 'ffmpeg' makes %s of one loudness, with its length, its marking and exact captions",
  async (format) => {
    const wav = await built({ response_format: 'wav' })
    const { audio, cues, durationSeconds = 0, type } = await built({ encoder: 'ffmpeg', response_format: format })
    expect(type).toBe(FORMATS[format].type)
    expect(Math.abs(durationSeconds - (wav.durationSeconds ?? 0))).toBeLessThanOrEqual(ADDED[format])
    expect(cues).toEqual(wav.cues)

    const pcm = ffmpeg(audio, ['-f', 's16le', '-ac', '1', '-ar', String(RATE), 'pipe:1'])
    // Without the edges: the page begins in silence, and a codec with start-up samples is late.
    const levels = cues.map(({ startSecond, endSecond }) => decibels(pcm, startSecond + 0.3, endSecond - 0.3))
    expect(levels).toHaveLength(3)
    expect(Math.max(...levels) - Math.min(...levels)).toBeLessThan(1)
    const gap = decibels(pcm, (cues[0]?.endSecond ?? 0) + 0.15, (cues[1]?.startSecond ?? 0) - 0.1)
    expect(gap).toBeLessThan(Math.min(...levels) - 40)
    expect(audio.includes(MARKING)).toBe(true)
  },
)

test.each(['flac', 'opus', 'wav'] as const)('%s has one loudness without an encoder', async (format) => {
  const { audio, cues } = await built({ response_format: format })
  const pcm = ffmpeg(audio, ['-f', 's16le', '-ar', String(RATE), 'pipe:1'])
  const levels = cues.map(({ startSecond, endSecond }) => decibels(pcm, startSecond + 0.3, endSecond - 0.3))
  expect(Math.max(...levels) - Math.min(...levels)).toBeLessThan(0.2)
})

test('joined MP3 keeps the loudness of its segments, and decodes without an error', async () => {
  const { audio, cues } = await built({ response_format: 'mp3' })
  const pcm = ffmpeg(audio, ['-f', 's16le', 'pipe:1'])
  const levels = cues.map(({ startSecond, endSecond }) => decibels(pcm, startSecond + 0.4, endSecond - 0.4))
  expect((levels[0] ?? 0) - (levels[1] ?? 0)).toBeCloseTo(8, 0)
})

test('the error of a build contains the error of ffmpeg', async () => {
  const wav = encodeWav({ sampleRate: RATE, channels: 0x40, bitDepth: 16 }, [new Uint8Array(RATE * 0x40 * 2)])
  stage.upstream.on(SPEECH, audioBytes(wav, 'audio/wav'))
  const site = await stage.site(SITE)
  await expect(site.build({ encoder: 'ffmpeg', response_format: 'mp3' })).rejects.toThrow(
    /post\.md cannot be narrated: The encoder failed: ffmpeg ended with \d+: .+/s,
  )
})
