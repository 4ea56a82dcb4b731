import { SENTENCES, wordErrorRate } from '@svc-audio/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fliteSpeech, type FliteVoice } from '@svc-audio/kit/engine-fixtures/flite-speech.ts'
import { chunked, joined, signal, whiteNoise } from '@svc-audio/kit/engine-fixtures/signals.ts'
import type { Recognition, RecognitionEngine } from '@svc-audio/engine-ports'
import { createMoonshineEngine } from './moonshine-engine.ts'

/** Made-up names, each with its sentence. */
const NAMED: Readonly<Record<string, string>> = {
  Zorblax: 'Please send the report to Zorblax before five.',
  Quixtar: 'The new office of Quixtar is near the river.',
  Vexalion: 'We bought the printer from Vexalion last week.',
  Brimholt: 'My brother works for Brimholt in the north.',
  Tamsinet: 'The price of Tamsinet has gone up again.',
  Okvanda: 'I would like to speak to Okvanda about the meeting.',
  Lumetrix: 'They have been using Lumetrix for three years.',
  Draythorn: 'Our teacher mister Draythorn told us a story.',
  Pelluvar: 'The train to Pelluvar leaves in the morning.',
  Norvik: 'Thank you for calling Norvik and have a good day.',
}
const KEYTERMS = Object.keys(NAMED)

let engine: RecognitionEngine
beforeAll(async () => {
  engine = await createMoonshineEngine({ workers: 1 })
})
afterAll(async () => {
  await engine.close()
})

async function speak(sentences: readonly string[], voice: FliteVoice = 'rms'): Promise<Int16Array<ArrayBuffer>> {
  return joined(await Promise.all(sentences.map((sentence) => fliteSpeech(sentence, voice))), 1)
}

function recognize(samples: Int16Array, keyterms: readonly string[] = []): Promise<Recognition> {
  return engine.recognize(chunked(samples), { keyterms })
}

const found = ({ text }: Recognition): number => KEYTERMS.filter((term) => text.includes(term)).length

describe('ten made-up names', { timeout: 180_000 }, () => {
  let audio: Int16Array
  let before: Recognition
  beforeAll(async () => {
    audio = await speak(Object.values(NAMED))
    before = await recognize(audio)
  })

  test('are found with keyterms, in their spelling, and seldom without', async () => {
    expect(found(before)).toBeLessThanOrEqual(2)
    const recognition = await recognize(audio, KEYTERMS)
    expect(found(recognition)).toBeGreaterThanOrEqual(8)
    expect(wordErrorRate(Object.values(NAMED).join(' '), recognition.text)).toBeLessThanOrEqual(0.1)
  })

  test('are forgotten by the next recording', async () => {
    expect(await recognize(audio)).toEqual(before)
  })
})

describe('speech beside keyterms', () => {
  test('has no more errors than without them, and no invented name', { timeout: 180_000 }, async () => {
    const audio = await speak(SENTENCES.slice(0, 10))
    const [without, with_] = [await recognize(audio), await recognize(audio, KEYTERMS)]
    expect(found(with_)).toBe(0)
    const errors = ({ text }: Recognition): number => wordErrorRate(SENTENCES.slice(0, 10).join(' '), text)
    expect(errors(with_)).toBeLessThanOrEqual(errors(without) + 0.02)
  })

  test('takes the spelling of a keyterm that is a plain word or phrase', async () => {
    const audio = await speak(['My brother works for a large company in New York.'])
    const { text, words } = await recognize(audio, ['New York', 'Company'])
    expect(text).toBe('My brother works for a large Company in New York.')
    expect(words.map(({ word }) => word).join(' ')).toBe(text)
  })

  test('is not affected by terms without a sound in English', async () => {
    const audio = await speak(['Thank you for calling.'])
    expect(await recognize(audio, ['日本', '…'])).toEqual(await recognize(audio))
  })
})

test('the words of a phrase have their own times', async () => {
  const audio = await speak(['Please call Doctor Okvanda Brimholt on Monday.'])
  const { words } = await recognize(audio, ['Okvanda Brimholt'])
  const at = words.findIndex(({ word }) => word === 'Okvanda')
  expect(words[at + 1]?.word).toBe('Brimholt')
  expect((words[at + 1]?.endSecond ?? 0) - (words[at]?.startSecond ?? 0)).toBeGreaterThan(0.6)
})

describe('audio without speech gives no words with keyterms', () => {
  const white = whiteNoise()
  test.each([
    ['silence', () => 0],
    ['noise', () => 0.3 * white()],
  ])('of %s', async (_name, value) => {
    expect(await recognize(signal(4, value), KEYTERMS)).toEqual({ text: '', words: [], durationSeconds: 4 })
  })
})

test('an aborted recording leaves no keyterms behind', async () => {
  const audio = await speak(['Please send the report to Zorblax.'])
  const alone = await recognize(audio)
  const controller = new AbortController()
  async function* abortedLater(): AsyncGenerator<Uint8Array> {
    yield* chunked(audio)
    controller.abort(new Error('changed my mind'))
    yield* chunked(audio)
  }
  const given = engine.recognize(abortedLater(), { keyterms: KEYTERMS, signal: controller.signal })
  await expect(given).rejects.toThrow('changed my mind')
  expect(await recognize(audio)).toEqual(alone)
})
