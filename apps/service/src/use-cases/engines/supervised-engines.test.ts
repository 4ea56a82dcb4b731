import { beforeEach, describe, expect, test } from 'vitest'
import { ManualClock, settle } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import { scriptedEngine } from '../../../test/support/scripted-engine.ts'
import {
  EngineFailedError,
  type Recognition,
  type RecognitionEngine,
  type RecognizedWord,
  type RecognizeOptions,
  type SpeechEngine,
} from '@svc-audio/engine-ports'
import { EngineUnavailableError } from '../../ports/engine-state.ts'
import { EngineSupervisor } from './engine-supervisor.ts'
import { supervisedDiarization, supervisedRecognition, supervisedSpeech } from './supervised-engines.ts'

let works: boolean
let clock: ManualClock
beforeEach(() => {
  works = true
  clock = new ManualClock()
})

function supervise<Engine extends { close(): Promise<void> }>(engine: Engine): EngineSupervisor<Engine> {
  const probe = async (): Promise<void> => {
    if (!works) throw new EngineFailedError('still broken')
  }
  const log = { error: () => undefined, warn: () => undefined, info: () => undefined }
  return new EngineSupervisor({ name: 'speech', create: async () => engine, probe, clock, log })
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<number> {
  let count = 0
  for await (const chunk of chunks) count += chunk.length
  return count
}

const request = { text: 'Hello.', voiceId: 'one' }
const pcm = { sampleRate: 1000, channels: 1, bitDepth: 16 }
const nothing = async function* none() {}

describe('speech', () => {
  const known = { name: 'flite', voices: [{ id: 'one', name: 'One', language: 'en' }] }

  test('comes from the engine', async () => {
    const engine = scriptedEngine()
    const supervisor = supervise<SpeechEngine>(engine)
    await supervisor.start()
    const { format, chunks } = await supervisedSpeech(supervisor, known).synthesize(request)
    expect(format.sampleRate).toBe(1000)
    expect(await collect(chunks)).toBe(12)
    expect(engine.ended).toEqual(['Hello.'])
  })

  test('stops when its reader leaves early', async () => {
    const engine = scriptedEngine()
    const supervisor = supervise<SpeechEngine>(engine)
    await supervisor.start()
    const { chunks } = await supervisedSpeech(supervisor, known).synthesize(request)
    for await (const chunk of chunks) if (chunk.length > 0) break
    expect(engine.ended).toEqual(['Hello.'])
  })

  test('that fails in the middle starts a probe', async () => {
    async function* failing() {
      yield new Uint8Array(2)
      throw new EngineFailedError('crashed')
    }
    const engine = { ...scriptedEngine(), synthesize: async () => ({ format: pcm, chunks: failing() }) }
    const supervisor = supervise<SpeechEngine>(engine)
    await supervisor.start()
    const speech = supervisedSpeech(supervisor, known)
    const { chunks } = await speech.synthesize(request)
    const other = await speech.synthesize(request)
    works = false
    await expect(collect(chunks)).rejects.toThrow('crashed')
    await settle()
    expect(supervisor.up).toBe(false)
    await expect(speech.synthesize(request)).rejects.toBeInstanceOf(EngineUnavailableError)
    // Accepted work continues on the remaining threads.
    await expect(collect(other.chunks)).rejects.toThrow('crashed')
  })

  test('lists the voices of an engine that was never created', () => {
    expect(supervisedSpeech(supervise<SpeechEngine>(scriptedEngine()), known)).toMatchObject(known)
  })
})

test('a recognizer that recognizes words during a recording is up, though its probe has failed', async () => {
  const end = Promise.withResolvers<Recognition>()
  let hear: RecognizeOptions['onWords']
  const engine: RecognitionEngine = {
    name: 'a',
    recognize: async (_pcm, options) => {
      hear = options?.onWords
      return end.promise
    },
    close: async () => undefined,
  }
  const supervisor = supervise(engine)
  await supervisor.start()
  const heard: unknown[] = []
  const onWords = (words: readonly RecognizedWord[]): void => void heard.push(...words)
  const recording = supervisedRecognition(supervisor, { name: 'a' }).recognize(nothing(), { onWords })
  works = false
  await expect(supervisor.use(() => Promise.reject(new EngineFailedError('lost')))).rejects.toThrow('lost')
  await settle()
  expect(supervisor.up).toBe(false)
  const word = { word: 'hello', startSecond: 0, endSecond: 1 }
  hear?.([word])
  expect(supervisor.up).toBe(true)
  expect(heard).toEqual([word])
  end.resolve({ text: 'hello', words: [word], durationSeconds: 1 })
  expect(await recording).toMatchObject({ text: 'hello' })
  expect(clock.timers).toBe(0)
})

test('a failed recognizer and a failed diarizer are probed, and refuse work while they are down', async () => {
  const failing = () => Promise.reject(new EngineFailedError('crashed'))
  const close = async () => undefined
  const supervisors = [
    supervise({ name: 'a', recognize: failing, close }),
    supervise({ name: 'b', diarize: failing, close }),
  ] as const
  await Promise.all(supervisors.map((supervisor) => supervisor.start()))
  const recognition = supervisedRecognition(supervisors[0], { name: 'a' })
  const diarization = supervisedDiarization(supervisors[1], { name: 'b' })
  works = false
  await expect(recognition.recognize(nothing())).rejects.toThrow('crashed')
  await expect(diarization.diarize(nothing())).rejects.toThrow('crashed')
  await settle()
  await expect(recognition.recognize(nothing())).rejects.toBeInstanceOf(EngineUnavailableError)
  await expect(diarization.diarize(nothing())).rejects.toBeInstanceOf(EngineUnavailableError)
  await Promise.all([recognition.close(), diarization.close()])
  expect(clock.timers).toBe(0)
})
