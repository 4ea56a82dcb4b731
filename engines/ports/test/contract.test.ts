import { AssertionError } from 'node:assert'
import { describe, expect, test } from 'vitest'
import {
  codecContract,
  type CodecSubject,
  type ContractCase,
  diarizationContract,
  type DiarizationSubject,
  recognitionContract,
  type RecognitionSubject,
  speechContract,
  type SpeechSubject,
} from '../src/contract/index.ts'
import type { Codec, DiarizationEngine, RecognitionEngine, SpeechEngine } from '../src/index.ts'
import {
  scriptedCodec,
  scriptedDiarization,
  scriptedRecognition,
  scriptedSegments,
  scriptedSpeech,
} from './scripted-engines.ts'

const speech: SpeechSubject = { create: async () => scriptedSpeech(), text: 'One two. Three four.', unspeakable: '…' }
const sound = new Uint8Array(32_000).fill(9)
const recognition: RecognitionSubject = { create: async () => scriptedRecognition(), speech: sound, says: /^sound$/ }
const diarization: DiarizationSubject = { create: async () => scriptedDiarization(), speech: sound, speakers: 1 }
const codec: CodecSubject = { create: async () => scriptedCodec(), formats: ['wav'] }

describe('a scripted speech engine keeps the contract', () => {
  test.each(speechContract)('$name', ({ run }) => expect(run(speech)).resolves.toBeUndefined())
})
describe('a scripted recognizer keeps the contract', () => {
  test.each(recognitionContract)('$name', ({ run }) => expect(run(recognition)).resolves.toBeUndefined())
})
describe('a scripted recognizer of segments keeps the contract', () => {
  const segments = { ...recognition, create: async () => scriptedSegments() }
  test.each(recognitionContract)('$name', ({ run }) => expect(run(segments)).resolves.toBeUndefined())
})
describe('a scripted diarizer keeps the contract', () => {
  test.each(diarizationContract)('$name', ({ run }) => expect(run(diarization)).resolves.toBeUndefined())
})
describe('a scripted codec keeps the contract', () => {
  test.each(codecContract)('$name', ({ run }) => expect(run(codec)).resolves.toBeUndefined())
})

/** The facts that a driver breaks. */
async function broken<Subject>(contract: readonly ContractCase<Subject>[], subject: Subject): Promise<string[]> {
  const names: string[] = []
  for (const { name, run } of contract) {
    try {
      await run(subject)
    } catch (error) {
      if (!(error instanceof Error)) throw error
      names.push(name)
    }
  }
  return names
}

describe('a driver with a fault breaks its contract', () => {
  const speechFault = (change: (engine: SpeechEngine) => Partial<SpeechEngine>) =>
    broken(speechContract, {
      ...speech,
      create: async () => {
        const engine = scriptedSpeech()
        return { ...engine, ...change(engine) }
      },
    })

  test.each<[fault: string, fact: RegExp, (engine: SpeechEngine) => Partial<SpeechEngine>]>([
    ['ignores aborts', /an abort stops/, (engine) => ({ synthesize: (request) => engine.synthesize(request) })],
    [
      'ignores its turns',
      /in its turns/,
      (engine) => ({
        synthesize: (request, options) =>
          engine.synthesize(request, { ...(options?.signal && { signal: options.signal }) }),
      }),
    ],
    [
      'speaks with any voice',
      /unknown voice/,
      (engine) => ({ synthesize: (request, options) => engine.synthesize({ ...request, voiceId: 'hum' }, options) }),
    ],
    [
      'ignores the speed',
      /a speed from/,
      (engine) => ({ synthesize: (request, options) => engine.synthesize({ ...request, speed: 1 }, options) }),
    ],
    [
      'follows a speed by a half, as models do',
      /a speed from/,
      (engine) => ({
        synthesize: ({ speed = 1, ...request }, options) =>
          engine.synthesize({ ...request, speed: 1 + (speed - 1) / 2 }, options),
      }),
    ],
    [
      'misses an expected duration by a tenth',
      /an expected duration/,
      (engine) => ({
        synthesize: ({ expectedDurationSeconds: wanted, ...request }, options) =>
          engine.synthesize({ ...request, ...(wanted && { expectedDurationSeconds: 1.1 * wanted }) }, options),
      }),
    ],
    [
      'speaks pause markers',
      /pause markers/,
      (engine) => ({ synthesize: (request, options) => engine.synthesize({ ...request, pauses: false }, options) }),
    ],
    ['works after its close', /closed engine/, () => ({ close: async () => undefined })],
    ['has no voices', /distinct ids/, () => ({ voices: [] })],
    [
      'has a voice that does not speak its own language',
      /distinct ids/,
      ({ voices }) => ({ voices: voices.map((voice) => ({ ...voice, languages: ['de'] })) }),
    ],
  ])('a speech engine that %s', async (_fault, fact, change) => {
    expect(await speechFault(change)).toContainEqual(expect.stringMatching(fact))
  })

  const recognitionFault = (change: (engine: RecognitionEngine) => Partial<RecognitionEngine>) =>
    broken(recognitionContract, {
      ...recognition,
      create: async () => {
        const engine = scriptedRecognition()
        return { ...engine, ...change(engine) }
      },
    })

  test.each<[fault: string, fact: RegExp, (engine: RecognitionEngine) => Partial<RecognitionEngine>]>([
    [
      'reports no words before the end',
      /arrive during/,
      (engine) => ({
        recognize: (pcm, options) => engine.recognize(pcm, { ...(options?.signal && { signal: options.signal }) }),
      }),
    ],
    [
      'rejects with its own error on an abort',
      /an abort rejects/,
      (engine) => ({
        recognize: (pcm, options) => engine.recognize(pcm, options).catch(() => Promise.reject(new Error('stopped'))),
      }),
    ],
    [
      'makes words of its segments',
      /words or segments in the order/,
      (engine) => ({
        async recognize(pcm, options) {
          const result = await engine.recognize(pcm, options)
          return { ...result, segments: [{ text: result.text, startSecond: 0, endSecond: 0.1 }] }
        },
      }),
    ],
    [
      'names its language in words',
      /primary tags/,
      (engine) => ({
        recognize: async (pcm, options) => ({ ...(await engine.recognize(pcm, options)), language: 'English' }),
      }),
    ],
    [
      'hears words in silence',
      /silence has no text/,
      () => ({ recognize: async () => ({ text: 'uh', words: [], durationSeconds: 2 }) }),
    ],
  ])('a recognizer that %s', async (_fault, fact, change) => {
    expect(await recognitionFault(change)).toContainEqual(expect.stringMatching(fact))
  })

  test('a diarizer that counts speakers from zero', async () => {
    const create = async (): Promise<DiarizationEngine> => {
      const engine = scriptedDiarization()
      return {
        ...engine,
        async diarize(pcm, options) {
          const { segments, durationSeconds } = await engine.diarize(pcm, options)
          return {
            segments: segments.map(({ startSecond, endSecond }) => ({ startSecond, endSecond, speaker: 'S00' })),
            durationSeconds,
          }
        },
      }
    }
    expect(await broken(diarizationContract, { ...diarization, create })).toContainEqual(
      expect.stringMatching(/labelled in the order/),
    )
  })

  test('a codec that drops metadata', async () => {
    const create = async (): Promise<Codec> => {
      const made = scriptedCodec()
      return { ...made, encode: (chunks, { aigc: _dropped, ...options }) => made.encode(chunks, options) }
    }
    expect(await broken(codecContract, { ...codec, create })).toEqual(['metadata is written unchanged'])
  })
})

test('a broken fact is an assertion that says what is wrong', async () => {
  const [first] = speechContract
  const mute = { ...speech, create: async () => ({ ...scriptedSpeech(), voices: [] }) }
  await expect(first?.run(mute)).rejects.toThrow(AssertionError)
  await expect(first?.run(mute)).rejects.toThrow('an engine needs a voice')
})
