import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { Resampler } from '@svc-audio/core/audio'
import type { Recognition, RecognitionEngine } from '@svc-audio/engine-ports'
import { createJoeEngine } from '../joe/joe-engine.ts'
import { createMoonshineEngine } from './moonshine-engine.ts'
import { fliteSpeech, type FliteVoice } from '@svc-audio/kit/engine-fixtures/flite-speech.ts'
import { chunked, joined, signal, sine, whiteNoise } from '@svc-audio/kit/engine-fixtures/signals.ts'
import { SENTENCES, wordErrorRate } from '@svc-audio/testing'

let engine: RecognitionEngine
beforeAll(async () => {
  engine = await createMoonshineEngine({ workers: 1 })
})
afterAll(async () => {
  await engine.close()
})

async function speak(sentences: readonly string[], voice: FliteVoice): Promise<Int16Array<ArrayBuffer>> {
  const pieces: Int16Array[] = []
  for (const sentence of sentences) pieces.push(await fliteSpeech(sentence, voice))
  return joined(pieces, 1)
}

function recognize(samples: Int16Array, chunkBytes?: number): Promise<Recognition> {
  return engine.recognize(chunked(samples, chunkBytes))
}

describe('twenty sentences of flite voice rms, a minute and a half', () => {
  let audio: Int16Array
  let recognition: Recognition
  beforeAll(async () => {
    audio = await speak(SENTENCES, 'rms')
    recognition = await recognize(audio)
    // Twenty seconds of a free core.
  }, 300_000)

  test('have at most one wrong word in thirty', () => {
    expect(wordErrorRate(SENTENCES.join(' '), recognition.text)).toBeLessThanOrEqual(0.033)
  })

  test('have sentences with capitals and stops, in single spaces', () => {
    expect(recognition.text).toMatch(/^[A-Z]\S*( \S+)*$/)
    expect(recognition.text.match(/[.?!]/g)?.length).toBeGreaterThan(15)
    expect(recognition.segments).toBeUndefined()
    expect(recognition.words.map(({ word }) => word).join(' ')).toBe(recognition.text)
  })

  test('have words in order of time, within the audio', () => {
    expect(recognition.durationSeconds).toBe(audio.length / 16_000)
    let at = 0
    for (const { startSecond, endSecond } of recognition.words) {
      expect(startSecond).toBeGreaterThanOrEqual(at)
      expect(endSecond).toBeGreaterThan(startSecond)
      at = endSecond
    }
    expect(at).toBeLessThanOrEqual(recognition.durationSeconds)
  })

  test('have words at their times', () => {
    const last = recognition.words.findLast(({ word }) => word === 'calling')
    const end = recognition.durationSeconds
    // The last sentence, "Thank you for calling …", takes three seconds.
    expect(last?.startSecond).toBeGreaterThan(end - 3)
    expect(last?.startSecond).toBeLessThan(end - 1.5)
  })
})

describe('others', () => {
  test.each(['slt', 'awb', 'kal16'] as const)('four sentences of voice %s have few errors', async (voice) => {
    const sentences = [4, 7, 10, 13].map((index) => SENTENCES[index] ?? '')
    const { text } = await recognize(await speak(sentences, voice))
    expect(wordErrorRate(sentences.join(' '), text)).toBeLessThanOrEqual(0.15)
  })

  test('a single word is heard', async () => {
    expect((await recognize(await fliteSpeech('Yes.'))).text).toBe('Yes.')
  })
})

describe('audio without speech gives no words', () => {
  const white = whiteNoise()
  test.each([
    ['digital silence', () => 0],
    ['soft noise', () => 0.01 * white()],
    ['loud noise', () => 0.5 * white()],
    ['a tone', (second: number) => 0.3 * sine(440, second)],
    ['clicks', (second: number) => (second % 0.25 < 0.0002 ? 0.8 : 0)],
  ])('of %s', async (_, value) => {
    expect(await recognize(signal(4, value))).toEqual({ text: '', words: [], durationSeconds: 4 })
  })

  test('of no audio, of one byte and of a twentieth of a second', async () => {
    expect(await recognize(new Int16Array(0))).toEqual({ text: '', words: [], durationSeconds: 0 })
    expect(await engine.recognize(bytes(1))).toEqual({ text: '', words: [], durationSeconds: 0 })
    expect((await recognize((await fliteSpeech('Yes.')).subarray(4000, 4800))).text).toBe('')
  })
})

async function* bytes(count: number): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(count)
}

describe('the same audio gives the same words', () => {
  let audio: Int16Array
  let alone: Recognition
  beforeAll(async () => {
    audio = await fliteSpeech('My brother works for a large company in New York.')
    alone = await recognize(audio)
  })

  test('in chunks that cut samples', async () => {
    expect(await recognize(audio, 3333)).toEqual(alone)
  })

  test('after other voices, noise and aborts', async () => {
    await recognize(await fliteSpeech('The old bridge was closed.', 'slt'))
    await recognize(signal(2, () => 0.5 * whiteNoise(5)()))
    const controller = new AbortController()
    async function* abortedLater(): AsyncGenerator<Uint8Array> {
      yield* chunked(audio)
      controller.abort(new Error('changed my mind'))
      yield* chunked(audio)
    }
    await expect(engine.recognize(abortedLater(), { signal: controller.signal })).rejects.toThrow('changed my mind')
    expect(await recognize(audio)).toEqual(alone)
  })
})

test('short calls of the voice joe keep their first sound', async () => {
  const calls = ['Hello there.', 'Hello.', 'Stop it.', 'Thank you very much.', 'Pardon me?']
  const joe = createJoeEngine({ workers: 1 })
  const heard: string[] = []
  for (const text of calls) {
    const parts: Uint8Array[] = []
    for await (const chunk of (await joe.synthesize({ text, voiceId: 'joe' })).chunks) parts.push(chunk)
    const pcm = Buffer.concat(parts)
    // With silence behind it: the filter holds the end back.
    const samples = Float32Array.from({ length: pcm.length / 2 + 2205 }, (_, index) =>
      2 * index < pcm.length ? pcm.readInt16LE(2 * index) : 0,
    )
    const sound = Int16Array.from(new Resampler(22_050, 16_000).push(samples), Math.round)
    heard.push((await recognize(sound)).text)
  }
  await joe.close()
  const plain = (text: string): string => text.replaceAll(/[^A-Za-z ]/g, '')
  expect(heard.map(plain)).toEqual(calls.map(plain))
}, 300_000)
