import { fliteSpeech } from '@svc-audio/kit/engine-fixtures/flite-speech.ts'
import { joined, signal, sine, whiteNoise } from '@svc-audio/kit/engine-fixtures/signals.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import type { NativeSegment } from './emscripten.ts'
import { ditherSilence, toWords, Transcriber, type UtteranceDecoder } from './transcriber.ts'

/** Hears one word a second and records its calls. */
class ScriptedDecoder implements UtteranceDecoder {
  readonly calls: string[] = []
  readonly heard: Int16Array[] = []

  reset(): void {
    this.calls.push('reset')
  }

  async adapt(samples: Int16Array): Promise<void> {
    this.calls.push(`adapt ${this.#seconds(samples)}`)
  }

  async decode(samples: Int16Array): Promise<NativeSegment[]> {
    this.calls.push(`decode ${this.#seconds(samples)}`)
    this.heard.push(samples)
    return [{ word: 'word', start: 0, end: Math.floor(samples.length / 160) - 1 }]
  }

  #seconds(samples: Int16Array): string {
    return (samples.length / 16_000).toFixed(1)
  }
}

async function pause(): Promise<void> {}

let sentence: Int16Array<ArrayBuffer>
beforeAll(async () => {
  sentence = await fliteSpeech('The train to London leaves from platform number nine.')
})

describe('Transcriber', () => {
  test('the decoder forgets the last recording', () => {
    const decoder = new ScriptedDecoder()
    const transcriber = new Transcriber(decoder, { pause })
    expect(transcriber).toBeDefined()
    expect(decoder.calls).toEqual(['reset'])
  })

  test('the decoder adapts to the first seconds of speech before it recognizes them, and to no later ones', async () => {
    const decoder = new ScriptedDecoder()
    const transcriber = new Transcriber(decoder, { pause, adaptSeconds: 6 })
    for (let count = 0; count < 4; count += 1) {
      await transcriber.push(sentence)
      await transcriber.push(new Int16Array(16_000))
    }
    await transcriber.end()
    const kinds = decoder.calls.map((call) => call.split(' ')[0])
    expect(kinds).toEqual(['reset', 'adapt', 'adapt', 'decode', 'decode', 'decode', 'decode'])
    expect(decoder.calls[1]).toBe(decoder.calls[3]?.replace('decode', 'adapt'))
  })

  test('a shorter recording is recognized at its end', async () => {
    const decoder = new ScriptedDecoder()
    const transcriber = new Transcriber(decoder, { pause })
    await transcriber.push(sentence)
    expect(decoder.calls).toEqual(['reset'])
    expect((await transcriber.end()).text).toBe('word')
  })

  test('words have their times in the whole recording', async () => {
    const transcriber = new Transcriber(new ScriptedDecoder(), { pause })
    await transcriber.push(joined([new Int16Array(80_000), sentence, new Int16Array(32_000), sentence]))
    const { words, text, durationSeconds } = await transcriber.end()
    const length = sentence.length / 16_000
    expect(text).toBe('word word')
    expect(words[0]?.startSecond).toBeCloseTo(5, 0)
    expect(words[0]?.endSecond).toBeCloseTo(5 + length, 0)
    expect(words[1]?.startSecond).toBeCloseTo(7 + length, 0)
    expect(words[1]?.endSecond).toBeLessThanOrEqual(durationSeconds)
    expect(durationSeconds).toBe(7 + 2 * length)
  })

  test('sound other than speech never reaches the decoder', async () => {
    const noise = whiteNoise()
    const decoder = new ScriptedDecoder()
    const transcriber = new Transcriber(decoder, { pause })
    await transcriber.push(signal(3, () => 0.2 * noise()))
    await transcriber.push(signal(3, (second) => 0.3 * sine(440, second)))
    await transcriber.push(new Int16Array(48_000))
    expect(await transcriber.end()).toEqual({ text: '', words: [], durationSeconds: 9 })
    expect(decoder.calls).toEqual(['reset'])
  })

  test('no utterance exceeds its longest length, and digital silence is dithered', async () => {
    const decoder = new ScriptedDecoder()
    const transcriber = new Transcriber(decoder, { pause, maxSeconds: 5 })
    for (let count = 0; count < 8; count += 1) await transcriber.push(sentence)
    await transcriber.end()
    expect(decoder.heard.length).toBeGreaterThan(4)
    for (const samples of decoder.heard) {
      expect(samples.length).toBeLessThanOrEqual(5 * 16_000)
      expect(samples.includes(0)).toBe(false)
    }
  })
})

test('sounds other than words are dropped', () => {
  const fillers = ['<s>', '<sil>', '</s>', '[NOISE]', '[SPEECH]', '++BREATH++']
  expect(
    toWords(
      fillers.map((word) => ({ word, start: 0, end: 9 })),
      0,
    ),
  ).toEqual([])
})

test('marks of further pronunciations are removed', () => {
  const words = ['the(2)', "o'clock", 'a(13)'].map((word) => ({ word, start: 0, end: 9 }))
  expect(toWords(words, 0).map(({ word }) => word)).toEqual(['the', "o'clock", 'a'])
})

test('times are seconds from the start of the whole audio, without rounding noise', () => {
  expect(toWords([{ word: 'so', start: 10, end: 29 }], 12.2)).toEqual([
    { word: 'so', startSecond: 12.3, endSecond: 12.5 },
  ])
})

test('zeros become plus or minus one, in about equal numbers, and nothing else changes', () => {
  const samples = new Int16Array(10_000)
  samples[5] = 1234
  ditherSilence(samples)
  expect(samples[5]).toBe(1234)
  const rest = samples.filter((_, index) => index !== 5)
  expect(rest.every((sample) => Math.abs(sample) === 1)).toBe(true)
  expect(Math.abs(rest.reduce((sum, sample) => sum + sample, 0))).toBeLessThan(500)
})

test('the noise is the same at each call', () => {
  const [one, other] = [new Int16Array(1000), new Int16Array(1000)]
  ditherSilence(one)
  ditherSilence(other)
  expect(one).toEqual(other)
})
