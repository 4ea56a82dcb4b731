import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AudioClient } from '@svc-audio/core'
import { type RunningService, startService } from '@svc-audio/service'
import { wordErrorRate } from '@svc-audio/testing'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { parseVtt } from '../player/parse-vtt.ts'
import { FORMATS, type NarrationFormat } from '../src/audio/index.ts'
import type { NarrationOptions } from '../src/index.ts'
import { Site } from './support/site.ts'
import { API_KEY, temporaryFolder } from './support/stage.ts'

const TRAIN = 'The train to the coast leaves at seven in the morning.'

let folder: string
let service: RunningService
let client: AudioClient

beforeAll(async () => {
  folder = await temporaryFolder('svc-audio-vite-service-')
  const dataDir = join(folder, 'data')
  service = await startService({ dataDir, port: 0, apiKeys: new Map([[API_KEY, 'tenant']]), logLevel: 'silent' })
  client = new AudioClient({ apiKey: API_KEY, baseUrl: service.url })
})

afterAll(async () => {
  await client.close()
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

/** A site with one post, whose WAV the real service speaks. */
async function narrated(options: Partial<NarrationOptions> = {}): Promise<Site> {
  const all = { apiKey: API_KEY, baseUrl: service.url, voice_id: 'rms', response_format: 'wav', ...options } as const
  const site = new Site(await temporaryFolder('svc-audio-vite-'), () => all)
  onTestFinished(() => site.remove())
  await site.write({ 'main.js': `export { default } from './post.md?narrate'`, 'post.md': TRAIN })
  return site
}

/** How far what is heard in audio is from the post. */
function distance(audio: Uint8Array): Promise<number> {
  return distanceFrom(TRAIN, audio)
}

async function distanceFrom(text: string, audio: Uint8Array): Promise<number> {
  const file = { data: audio, name: 'post.wav' }
  const heard = await client.transcriptions.create({ model: 'svc-transcribe-1.0', file })
  return wordErrorRate(text, heard.text)
}

test('recognition of a built narration returns its text', async () => {
  const site = await narrated()
  const { src, type, durationSeconds } = await site.buildOne()
  expect({ src, type }).toEqual({
    src: expect.stringMatching(/^\/assets\/post-[\w-]{8}\.wav$/),
    type: 'audio/wav',
  })
  const audio = await site.built(src)
  expect(await distance(audio)).toBeLessThanOrEqual(0.15)
  expect(durationSeconds).toBeCloseTo((audio.byteLength - 44) / audio.readUInt32LE(28), 6)
})

test('recognition of audio from the dev server returns the text', async () => {
  const dev = await (await narrated()).dev()
  const { src } = await dev.load('post.md?narrate')
  expect(await distance(await (await fetch(dev.url + src)).bytes())).toBeLessThanOrEqual(0.15)
})

test('the error of an unknown voice names the remedy', async () => {
  const building = (await narrated({ voice_id: 'nobody' })).build()
  await expect(building).rejects.toThrow(/nobody.*\(check voice_id, model and baseUrl\)/s)
})

const INPUT = 'The train to the coast leaves at seven in the morning. [pause 1.5s] The boat leaves at nine.'
const BODY = { model: 'svc-tts-1.5-flash', input: INPUT, voice_id: 'rms' }

/** Seconds that an encoder may add at the ends. WAV, FLAC and Opus declare them, streamed MP3 and AAC do not. */
const ADDED: Readonly<Record<NarrationFormat, number>> = { wav: 0, flac: 0, opus: 0, mp3: 0.2, aac: 0.25 }

test.each(Object.keys(FORMATS) as NarrationFormat[])('the length of real %s is that of the speech', async (format) => {
  const stream = await client.speech.stream(BODY)
  let samples = 0
  for await (const pcm of stream) samples += pcm.byteLength / 2
  const spoken = samples / stream.format.sampleRate
  expect(spoken).toBeGreaterThan(4)

  const audio = await client.speech.create({ ...BODY, response_format: format })
  expect(audio.contentType).toBe(FORMATS[format].type)
  const seconds = FORMATS[format].seconds(await audio.bytes()) ?? 0
  expect(seconds).toBeGreaterThanOrEqual(spoken - 0.001)
  expect(seconds).toBeLessThanOrEqual(spoken + 0.001 + ADDED[format])
})

/** The marking in the metadata of a file of any container. */
function markingIn(audio: Buffer): unknown {
  const [value = ''] = /\{"AIGC":\{[^{}]*\}\}/.exec(audio.toString('latin1')) ?? []
  return JSON.parse(value)
}

const MARKED = { enabled: true, content_propagator: 'The Harbour Times', propagate_id: 'post-17' }
const PARAGRAPHS = [
  'The train to the coast leaves at seven in the morning.',
  'We meet every morning in front of the station.',
  'In winter the last boat returns in the afternoon.',
  'Please buy your ticket before you come on board.',
]

// The service writes the marking as ID3 TXXX into MP3, and as a chunk into WAV, of which FLAC and Opus are made.
test.each([
  ['mp3', /^ID3.*TXXX.*AIGC\0$/s],
  ['flac', /^fLaC.*AIGC=$/s],
  ['opus', /^OggS.*OpusTags.*AIGC=$/s],
] as const)('the marking survives the joining of %s, in the metadata', async (format, place) => {
  const site = await narrated({ response_format: format, aigc_metadata: MARKED })
  await site.write({ 'post.md': PARAGRAPHS.slice(0, 3).join('\n\n') })
  const audio = await site.built((await site.buildOne()).src)
  expect(markingIn(audio)).toMatchObject({
    AIGC: { ContentPropagator: MARKED.content_propagator, PropagateID: MARKED.propagate_id },
  })
  const before = audio.subarray(0, audio.indexOf('{"AIGC"')).toString('latin1')
  expect(before).toMatch(place)
  expect(await distanceFrom(PARAGRAPHS.slice(0, 3).join(' '), audio)).toBeLessThanOrEqual(0.2)
})

// With gaps long enough that the engine reports each paragraph as a segment of its own.
test.each(['flac', 'mp3', 'opus'] as const)(
  'captions of %s begin within 150 ms of the recognized words',
  async (format) => {
    const site = await narrated({ gapSeconds: 2, response_format: format })
    await site.write({ 'post.md': PARAGRAPHS.join('\n\n') })
    const { src, captions } = await site.buildOne()
    const { cues } = parseVtt((await site.built(captions)).toString('utf8'))
    expect(cues.map(({ text }) => text)).toEqual(PARAGRAPHS)
    const file = { data: await site.built(src), name: `post.${format}` }
    const heard = await client.transcriptions.create({ model: 'svc-transcribe-diarize-pro', diarize: true, file })
    const starts = heard.segments.map(({ start }) => start ?? Number.NaN)
    expect(starts).toHaveLength(PARAGRAPHS.length)
    const late = cues.map(({ startSecond }, index) => Math.abs(startSecond - (starts[index] ?? Number.NaN)))
    for (const seconds of late) expect(seconds).toBeLessThanOrEqual(0.15)
    for (const [index, text] of PARAGRAPHS.entries()) {
      expect(wordErrorRate(text, heard.segments[index]?.text ?? '')).toBeLessThanOrEqual(0.25)
    }
  },
)
