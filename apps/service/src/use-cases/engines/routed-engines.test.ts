import type { RecognitionEngine, SpeechEngine, VoiceManner } from '@svc-audio/engine-ports'
import { expect, test } from 'vitest'
import { EngineUnavailableError } from '../../ports/engine-state.ts'
import { anyOf, chooseRecognizer, type RankedRecognizer, routedRecognition, routedSpeech } from './routed-engines.ts'

const UP = { up: true, retryAfterSeconds: 1 }
const down = (retryAfterSeconds: number) => ({ up: false, retryAfterSeconds })

function speaker(name: string, ...ids: string[]): SpeechEngine {
  return {
    name,
    voices: ids.map((id) => ({ id, name: `${id} of ${name}`, language: 'en' })),
    async synthesize() {
      async function* chunks(): AsyncGenerator<Uint8Array> {
        yield Buffer.from(name)
      }
      return { format: { sampleRate: 8000, channels: 1, bitDepth: 16 }, chunks: chunks() }
    },
    close: async () => undefined,
  }
}

function listener(name: string, more: Partial<RankedRecognizer> = {}): RankedRecognizer {
  const engine: RecognitionEngine = {
    name,
    recognize: async () => ({ text: name, words: [], durationSeconds: 1 }),
    close: async () => undefined,
  }
  return { engine, state: UP, ...more }
}

const heard = (members: readonly RankedRecognizer[], options: Parameters<typeof chooseRecognizer>[1] = {}): string =>
  chooseRecognizer(members, options).engine.name

test('the voice selects the speech engine, and the first of two equal ids counts', async () => {
  const engine = routedSpeech([
    { engine: speaker('one', 'a', 'b'), state: UP },
    { engine: speaker('two', 'b', 'c'), state: UP },
  ])
  expect(engine.voices.map(({ name }) => name)).toEqual(['a of one', 'b of one', 'c of two'])
  expect(engine.voices.map((voice) => voice.engine)).toEqual(['one', 'one', 'two'])
  const spoken = async (voiceId: string): Promise<string> => {
    const { chunks } = await engine.synthesize({ text: 'x', voiceId })
    const parts: Uint8Array[] = []
    for await (const chunk of chunks) parts.push(chunk)
    return Buffer.concat(parts).toString()
  }
  expect([await spoken('b'), await spoken('c')]).toEqual(['one', 'two'])
  await expect(spoken('d')).rejects.toThrow(RangeError)
})

test('a voice that was built on a bundled one keeps its engine beside another engine with the same voice id', async () => {
  const traits = { timbre: 'male', pitchHz: 100, rangeSemitones: 2, syllablesPerSecond: 4 } as const
  const changing = {
    ...speaker('bundled', 'rms'),
    voices: [{ id: 'rms', name: 'rms of bundled', language: 'en', traits }],
  }
  const engine = routedSpeech([
    { engine: speaker('far', 'rms'), state: UP },
    { engine: changing, state: UP },
  ])
  expect(engine.voices.map(({ name }) => name)).toEqual(['rms of far'])
  expect(engine.bases?.map(({ name }) => name)).toEqual(['rms of bundled'])
  const spoken = async (manner?: VoiceManner): Promise<string> => {
    const { chunks } = await engine.synthesize({ text: 'x', voiceId: 'rms', ...(manner && { manner }) })
    const parts: Uint8Array[] = []
    for await (const chunk of chunks) parts.push(chunk)
    return Buffer.concat(parts).toString()
  }
  expect([await spoken(), await spoken({ pitchHz: 90, rangeSemitones: 2, tempo: 1, size: 1 })]).toEqual([
    'far',
    'bundled',
  ])
})

test('a recognizer is chosen by its model, its language and its rank', () => {
  const members = [
    listener('german', { languages: ['de'] }),
    listener('pro', { models: ['svc-transcribe-diarize-pro'] }),
    listener('rest', { languages: ['en', 'fr'] }),
  ]
  expect(heard(members, { language: 'de-AT' })).toBe('german')
  expect(heard(members, { language: 'fr', model: 'svc-transcribe-1.0' })).toBe('rest')
  expect(heard(members, { language: 'fr', model: 'svc-transcribe-diarize-pro' })).toBe('pro')
  expect(heard(members)).toBe('german')
})

test('a recognizer that is down leaves its work to the next one', () => {
  const members = [listener('first', { state: down(9) }), listener('second')]
  expect(heard(members)).toBe('second')
  const none = [listener('first', { state: down(9) }), listener('second', { state: down(4) })]
  expect(() => chooseRecognizer(none, {})).toThrow(new EngineUnavailableError('recognition', 4))
})

test('a language that no recognizer has is refused with the languages that there are', () => {
  const members = [listener('a', { languages: ['de'] }), listener('b', { languages: ['en'] })]
  expect(() => chooseRecognizer(members, { language: 'ja' })).toThrow(/use one of de, en/)
})

test('the languages of several recognizers are known when all of them are', () => {
  const [german, english, any] = [
    listener('a', { languages: ['de'] }),
    listener('b', { languages: ['en'] }),
    listener('c'),
  ]
  expect(routedRecognition([german, english]).languages).toEqual(['de', 'en'])
  expect(routedRecognition([german, any]).languages).toBeUndefined()
})

test('several engines are up while one of them is', () => {
  expect(anyOf([down(5), UP]).up).toBe(true)
  expect(anyOf([down(5), down(3)])).toMatchObject({ up: false, retryAfterSeconds: 3 })
})

test('a single engine is used as it is', () => {
  const engine = speaker('one', 'a')
  expect(routedSpeech([{ engine, state: UP }])).toBe(engine)
})
