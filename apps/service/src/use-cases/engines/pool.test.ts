import {
  type DiarizationEngine,
  EngineFailedError,
  EngineLostError,
  type RecognitionEngine,
  type RecognizeOptions,
  type SpeechEngine,
  UnspeakableTextError,
  type VoiceManner,
  type VoiceParameters,
} from '@svc-audio/engine-ports'
import { findSpeech } from '@svc-audio/engine-ports/listening'
import { ManualClock, settle } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { scriptedEngine } from '../../../test/support/scripted-engine.ts'
import { createTracer } from '../../drivers/opentelemetry/tracer.ts'
import {
  type EngineClient,
  type EngineHooks,
  type EngineUse,
  EngineUnavailableError,
  type UsedEngine,
} from '../../ports/engines.ts'
import { findOwnVoices } from '../voices.ts'
import { chooseRecognizer, type Recognizer } from './choice.ts'
import { EnginePool, type PoolEntry } from './pool.ts'

const AT_ONCE = { speech: 1, recognition: 1, diarization: 1 }
const PCM = { sampleRate: 100, channels: 2, bitDepth: 16 }
const REQUEST = { text: 'Hello.', voiceId: 'one' }
const nothing = async function* none() {}
const close = async (): Promise<void> => undefined

interface Engines {
  readonly speech?: SpeechEngine
  readonly recognition?: RecognitionEngine
  readonly diarization?: DiarizationEngine
}

/** An entry of engines that are there at once. */
function entry(name: string, engines: Engines, more: Partial<PoolEntry> = {}): PoolEntry {
  const parts = Object.fromEntries(
    Object.entries(engines).map(([port, engine]) => [port, { ...engine, create: async () => engine }]),
  )
  return { name, parts, workers: AT_ONCE, ...more }
}

let clock: ManualClock
let pools: EnginePool[]
beforeEach(() => {
  clock = new ManualClock()
  pools = []
})
afterEach(async () => {
  await Promise.all(pools.map((pool) => pool.close()))
  if (clock.timers !== 0) throw new Error('A closed pool has left a timer')
})

/** A pool whose engines work. */
async function started(...entries: readonly PoolEntry[]): Promise<EnginePool> {
  const log = { error: () => undefined, warn: () => undefined, info: () => undefined }
  const pool = new EnginePool(entries, { clock, log, tracer: createTracer() })
  pools.push(pool)
  await pool.start()
  await settle()
  return pool
}

const workOf = (pool: EnginePool) => pool.named.map(({ work: { seconds, failures } }) => [seconds, failures])

/** A speech engine of one voice. Texts but those of probes are a second in two chunks, and then the end or an error. */
function speaker(failure?: Error, refusal?: Error): SpeechEngine {
  return {
    ...scriptedEngine(),
    async synthesize({ text }) {
      if (text !== 'Yes.' && refusal !== undefined) throw refusal
      async function* chunks(): AsyncGenerator<Uint8Array> {
        yield new Uint8Array(200)
        yield new Uint8Array(200)
        if (text !== 'Yes.' && failure !== undefined) throw failure
      }
      return { format: PCM, chunks: chunks() }
    },
  }
}

/** A recognizer and a diarizer whose work is this. Probes succeed. */
function hearing(work: (pcm: AsyncIterable<Uint8Array>, options: RecognizeOptions) => Promise<number>) {
  const recognition: RecognitionEngine = {
    name: 'ear',
    recognize: async (pcm, options = {}) => ({
      text: '',
      words: [],
      durationSeconds: options.onWords === undefined ? 0 : await work(pcm, options),
    }),
    close,
  }
  let probed = false
  const diarization: DiarizationEngine = {
    name: 'ear',
    async diarize(pcm, options = {}) {
      if (probed) return { segments: [], durationSeconds: await work(pcm, options) }
      probed = true
      return { segments: [], durationSeconds: 0 }
    },
    close,
  }
  return { recognition, diarization }
}

async function read(chunks: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0
  for await (const chunk of chunks) bytes += chunk.length
  return bytes
}

describe('a probe', () => {
  test("speaks with the engine's first voice, and reads no more than the first samples", async () => {
    const engine = scriptedEngine()
    await started(entry('a', { speech: engine }))
    expect(engine.accepted).toEqual([{ text: 'Yes.', voiceId: 'one' }])
    expect(engine.ended).toEqual(['Yes.'])
  })

  test('of an engine without voices passes', async () => {
    const engine = { ...scriptedEngine(), voices: [] }
    const pool = await started(entry('a', { speech: engine }))
    expect([engine.accepted, pool.states.speech.up]).toEqual([[], true])
  })

  test('fails with an error of the engine', async () => {
    const synthesize = () => Promise.reject(new Error('broken'))
    const pool = await started(entry('a', { speech: { ...scriptedEngine(), synthesize } }))
    expect(pool.states.speech.up).toBe(false)
  })

  test('of an engine that listens is a spoken word: no engine skips it as silence', async () => {
    const heard: Int16Array[] = []
    const take = async (pcm: AsyncIterable<Uint8Array>): Promise<void> => {
      const parts: Uint8Array[] = []
      for await (const chunk of pcm) parts.push(chunk)
      const bytes = new Uint8Array(Buffer.concat(parts))
      heard.push(new Int16Array(bytes.buffer, 0, bytes.length >> 1))
    }
    const recognition: RecognitionEngine = {
      name: 'ear',
      recognize: async (pcm) => take(pcm).then(() => ({ text: '', words: [], durationSeconds: 0 })),
      close,
    }
    const diarization: DiarizationEngine = {
      name: 'ear',
      diarize: async (pcm) => take(pcm).then(() => ({ segments: [], durationSeconds: 0 })),
      close,
    }
    await started(entry('a', { recognition, diarization }))
    expect(heard).toHaveLength(2)
    for (const samples of heard) expect(findSpeech(samples)).toEqual({ start: 0, end: samples.length })
  })

  test('does not count as work', async () => {
    const { recognition } = hearing(async () => 3)
    const pool = await started(entry('a', { speech: scriptedEngine(), recognition }))
    expect(workOf(pool)).toEqual([
      [0, 0],
      [0, 0],
    ])
  })
})

describe('a supervised engine', () => {
  test('speaks to the end', async () => {
    const engine = scriptedEngine()
    const { speech } = await started(entry('a', { speech: engine }))
    const { format, chunks } = await speech.synthesize(REQUEST)
    expect([format.sampleRate, await read(chunks)]).toEqual([1000, 12])
    expect(engine.ended).toEqual(['Yes.', 'Hello.'])
  })

  test('stops when its reader leaves early', async () => {
    const engine = scriptedEngine()
    const { speech } = await started(entry('a', { speech: engine }))
    for await (const chunk of (await speech.synthesize(REQUEST)).chunks) if (chunk.length > 0) break
    expect(engine.ended).toEqual(['Yes.', 'Hello.'])
  })

  test('that fails in the middle of speech is probed, and accepted work continues', async () => {
    let works = true
    const engine: SpeechEngine = {
      ...scriptedEngine(),
      async synthesize({ text }) {
        if (text === 'Yes.' && !works) throw new EngineFailedError('still broken')
        async function* failing() {
          yield new Uint8Array(2)
          if (text !== 'Yes.') throw new EngineFailedError('crashed')
        }
        return { format: PCM, chunks: failing() }
      },
    }
    const { speech, states } = await started(entry('a', { speech: engine }))
    const { chunks } = await speech.synthesize(REQUEST)
    const other = await speech.synthesize(REQUEST)
    works = false
    await expect(read(chunks)).rejects.toMatchObject({ hasBegun: true, cause: { message: 'crashed' } })
    expect(states.speech.up).toBe(false)
    await expect(speech.synthesize(REQUEST)).rejects.toMatchObject({ hasBegun: false })
    await expect(read(other.chunks)).rejects.toMatchObject({ hasBegun: true, cause: { message: 'crashed' } })
  })

  test('that was never created lists the voices of its driver, and later its own', async () => {
    const voices = [{ id: 'late', name: 'Late', language: 'en' }]
    const first = Promise.withResolvers<SpeechEngine>()
    const driver = { name: 'far', voices: [], create: () => first.promise }
    const pool = await started({ name: 'far', parts: { speech: driver }, workers: AT_ONCE })
    expect(pool.speech.voices).toEqual([])
    first.resolve({ ...scriptedEngine(), voices })
    await settle()
    expect(pool.speech.voices).toBe(voices)
  })

  test('that failed at a recording is probed, and refuses work while it is down', async () => {
    let works = true
    const fail = async (): Promise<never> => Promise.reject(new EngineFailedError('crashed'))
    const recognition: RecognitionEngine = {
      name: 'a',
      recognize: (_pcm, { onWords } = {}) =>
        works && onWords === undefined ? Promise.resolve({ text: '', words: [], durationSeconds: 0 }) : fail(),
      close,
    }
    const diarization: DiarizationEngine = {
      name: 'b',
      diarize: () => (works ? Promise.resolve({ segments: [], durationSeconds: 0 }) : fail()),
      close,
    }
    const pool = await started(entry('a', { recognition, diarization }))
    works = false
    await expect(pool.recognition.recognize(nothing())).rejects.toMatchObject({ hasBegun: true })
    await expect(pool.recognition.recognize(nothing())).rejects.toMatchObject({ hasBegun: false })
    // The entry does both, and the probe of the other one has failed as well.
    await expect(pool.diarization.diarize(nothing())).rejects.toMatchObject({ hasBegun: false })
    expect(workOf(pool)).toEqual([
      [0, 1],
      [0, 0],
    ])
  })

  test('that is lost takes the other engines of its entry down, and none of another entry', async () => {
    let works = true
    const lost = async (): Promise<never> => Promise.reject(new EngineLostError('502'))
    const both = (): Pick<Engines, 'recognition' | 'diarization'> => ({
      recognition: {
        name: 'a',
        recognize: () => (works ? Promise.resolve({ text: '', words: [], durationSeconds: 0 }) : lost()),
        close,
      },
      diarization: {
        name: 'b',
        diarize: () => (works ? Promise.resolve({ segments: [], durationSeconds: 0 }) : lost()),
        close,
      },
    })
    const pool = await started(entry('far', both()), entry('next', both()))
    works = false
    await expect(pool.recognition.recognize(nothing())).rejects.toMatchObject({ hasBegun: true })
    expect(pool.named.map(({ name, port, state }) => [name, port, state.up])).toEqual([
      ['far', 'recognition', false],
      ['far', 'diarization', false],
      ['next', 'recognition', true],
      ['next', 'diarization', true],
    ])
  })
})

describe('counted work', () => {
  test('of speech is its length, as far as it was read', async () => {
    const pool = await started(entry('a', { speech: speaker() }))
    for await (const chunk of (await pool.speech.synthesize(REQUEST)).chunks) if (chunk.length > 0) break
    expect(workOf(pool)).toEqual([[0.5, 0]])
    expect(await read((await pool.speech.synthesize(REQUEST)).chunks)).toBe(400)
    expect(workOf(pool)).toEqual([[1.5, 0]])
  })

  test('of speech that fails in the middle is a failure, and counts until then', async () => {
    const pool = await started(entry('a', { speech: speaker(new EngineFailedError('gone')) }))
    await expect(read((await pool.speech.synthesize(REQUEST)).chunks)).rejects.toThrow('gone')
    expect(workOf(pool)).toEqual([[1, 1]])
  })

  test.each([
    ['a refusal of the engine', 'is a failure', new EngineFailedError('no'), 1],
    ['a text that nobody can speak', 'is no failure', new UnspeakableTextError('…'), 0],
    ['an abort', 'is no failure', new DOMException('stop', 'AbortError'), 0],
  ])('%s %s', async (_, _is, refusal, failures) => {
    const pool = await started(entry('a', { speech: speaker(undefined, refusal) }))
    await expect(pool.speech.synthesize(REQUEST)).rejects.toBe(refusal)
    expect(workOf(pool)).toEqual([[0, failures]])
  })

  test('of a recording is its length once it is recognized or separated, and failures of the engine', async () => {
    let failure: Error | undefined
    const pool = await started(
      entry(
        'a',
        hearing(async () => {
          if (failure !== undefined) throw failure
          return 3
        }),
      ),
    )
    await pool.recognition.recognize(nothing())
    await pool.diarization.diarize(nothing())
    failure = new EngineFailedError('gone')
    await expect(pool.recognition.recognize(nothing())).rejects.toThrow('gone')
    // The diarizer cannot tell a probe from other work.
    await expect(pool.diarization.diarize(nothing())).rejects.toMatchObject({ hasBegun: true })
    expect(workOf(pool)).toEqual([
      [3, 1],
      [3, 1],
    ])
  })
})

describe('the work for a client', () => {
  const client: EngineClient = { tenant: 'acme', id: 'task_1' }

  function told() {
    const begun: (readonly [UsedEngine, EngineClient])[] = []
    const ended: EngineUse[] = []
    const hooks: EngineHooks = {
      begun: (used, of) => void begun.push([used, of]),
      ended: (use) => void ended.push(use),
    }
    return { begun, ended, hooks }
  }

  test('begins with the first read and ends once, with what was made', async () => {
    const { begun, ended, hooks } = told()
    const pool = await started(entry('far', { speech: speaker() }))
    pool.addHooks(hooks)
    const { chunks } = await pool.speech.synthesize(REQUEST, { client })
    expect(begun).toEqual([])
    const reader = chunks[Symbol.asyncIterator]()
    await reader.next()
    expect(begun).toEqual([[{ engine: 'far', port: 'speech' }, client]])
    await reader.return?.()
    await reader.return?.()
    expect(ended).toEqual([{ engine: 'far', port: 'speech', client, failed: false, characters: 6, seconds: 0.5 }])
  })

  test('is told as failed only where the engine failed', async () => {
    const { ended, hooks } = told()
    for (const failure of [new EngineFailedError('gone'), new DOMException('stop', 'AbortError')]) {
      const pool = await started(entry('far', { speech: speaker(failure) }))
      pool.addHooks(hooks)
      await expect(read((await pool.speech.synthesize(REQUEST, { client })).chunks)).rejects.toBe(failure)
    }
    expect(ended.map(({ failed }) => failed)).toEqual([true, false])
  })

  test('on a recording has the length that the engine has taken, also after a failure', async () => {
    const { ended, hooks } = told()
    const second = async function* pcm() {
      yield new Uint8Array(32_000)
      yield new Uint8Array(32_000)
    }
    const take = async (pcm: AsyncIterable<Uint8Array>): Promise<number> => {
      for await (const chunk of pcm) if (chunk.length > 0) throw new EngineFailedError('gone')
      return 2
    }
    const pool = await started(entry('far', hearing(take)))
    pool.addHooks(hooks)
    await expect(pool.recognition.recognize(second(), { client })).rejects.toThrow('gone')
    await expect(pool.diarization.diarize(second(), { client })).rejects.toMatchObject({ hasBegun: true })
    expect(ended).toMatchObject([
      { port: 'recognition', failed: true, characters: 0, seconds: 1 },
      { port: 'diarization', failed: true, characters: 0, seconds: 1 },
    ])
  })

  test('never reaches the engine itself', async () => {
    const given: object[] = []
    const pool = await started(
      entry(
        'a',
        hearing(async (_pcm, options) => given.push(options)),
      ),
    )
    await pool.recognition.recognize(nothing(), { client })
    await pool.diarization.diarize(nothing(), { client })
    expect(given).toHaveLength(2)
    for (const options of given) expect(options).not.toHaveProperty('client')
  })

  test('is told only with a file of engines', async () => {
    const { begun, ended, hooks } = told()
    const pool = await started(entry('bundled', { speech: speaker() }, { isBundled: true }))
    pool.addHooks(hooks)
    await read((await pool.speech.synthesize(REQUEST, { client })).chunks)
    expect([begun, ended, pool.named]).toEqual([[], [], []])
  })
})

describe('an own voice', () => {
  const MANNER = { pitchHz: 100, rangeSemitones: 1, tempo: 1, size: 1 }

  /** A pool with the voices `own_…`. It counts the lookups. */
  async function own() {
    const [engine, asked] = [scriptedEngine(), { times: 0 }]
    const pool = await started(entry('a', { speech: engine }))
    const parametersOf = async (id: string): Promise<VoiceParameters | undefined> => {
      asked.times += 1
      return id.startsWith('own_') ? { base: 'one', ...MANNER } : undefined
    }
    pool.addHooks(findOwnVoices({ parametersOf }))
    return { engine, asked, speech: pool.speech, accepted: () => engine.accepted.slice(1) }
  }

  test('is its base voice with its changes', async () => {
    const { speech, accepted } = await own()
    await speech.synthesize({ text: 'Hi.', voiceId: 'own_1', speed: 2 })
    expect(accepted()).toEqual([{ text: 'Hi.', voiceId: 'one', speed: 2, manner: MANNER }])
  })

  test('is not looked for where an engine has the voice', async () => {
    const { speech, accepted, asked } = await own()
    const request = { text: 'Hi.', voiceId: 'two' }
    await speech.synthesize(request)
    expect([accepted(), asked.times]).toEqual([[request], 0])
  })

  test('that was deleted throws voice_not_found, and the engine is not called', async () => {
    const { speech, accepted } = await own()
    const speaking = speech.synthesize({ text: 'Hi.', voiceId: 'nobody' })
    await expect(speaking).rejects.toMatchObject({ status: 404, code: 'voice_not_found' })
    expect(accepted()).toEqual([])
  })

  test('is looked up once, even among a few hundred others', async () => {
    const { speech, asked } = await own()
    for (let round = 0; round < 3; round += 1) {
      for (let n = 0; n < 300; n += 1) await speech.synthesize({ text: 'Hi.', voiceId: `own_${n}` })
    }
    expect(asked.times).toBe(300)
  })

  test('gives the signal to the engine', async () => {
    const { speech } = await own()
    const { chunks } = await speech.synthesize({ text: 'Hi.', voiceId: 'own_1' }, { signal: AbortSignal.abort('stop') })
    await expect(chunks[Symbol.asyncIterator]().next()).rejects.toBe('stop')
  })

  test('is not among the voices of the engines', async () => {
    const { engine, speech } = await own()
    expect(speech.voices).toBe(engine.voices)
  })
})

describe('of several engines', () => {
  const UP = { up: true, retryAfterSeconds: 1 }
  const down = (retryAfterSeconds: number) => ({ up: false, retryAfterSeconds })

  /** A speech engine that says its own name. */
  function named(name: string, ...ids: string[]): SpeechEngine {
    return {
      ...scriptedEngine(),
      name,
      voices: ids.map((id) => ({ id, name: `${id} of ${name}`, language: 'en' })),
      async synthesize() {
        async function* chunks(): AsyncGenerator<Uint8Array> {
          yield Buffer.from(name)
        }
        return { format: PCM, chunks: chunks() }
      },
    }
  }

  async function spoken({ speech }: EnginePool, voiceId: string, manner?: VoiceManner): Promise<string> {
    const { chunks } = await speech.synthesize({ text: 'x', voiceId, ...(manner && { manner }) })
    const parts: Uint8Array[] = []
    for await (const chunk of chunks) parts.push(chunk)
    return Buffer.concat(parts).toString()
  }

  function listener(
    name: string,
    { state = UP, ...more }: Partial<Recognizer['entry']> & Partial<Pick<Recognizer, 'state'>> = {},
  ): Recognizer & { readonly name: string } {
    return { name, state, entry: { parts: {}, ...more } }
  }

  const heard = (
    members: readonly (Recognizer & { readonly name: string })[],
    options: Parameters<typeof chooseRecognizer>[1] = {},
  ): string => chooseRecognizer(members, options).name

  test('the voice selects the one that speaks, and the first of two equal ids counts', async () => {
    const pool = await started(
      entry('1', { speech: named('one', 'a', 'b') }),
      entry('2', { speech: named('two', 'b', 'c') }),
    )
    const { voices } = pool.speech
    expect(voices.map(({ name }) => name)).toEqual(['a of one', 'b of one', 'c of two'])
    expect(voices.map((voice) => voice.engine)).toEqual(['one', 'one', 'two'])
    expect([await spoken(pool, 'b'), await spoken(pool, 'c')]).toEqual(['one', 'two'])
    await expect(spoken(pool, 'd')).rejects.toThrow(RangeError)
  })

  test('a voice of two engines speaks by the one that is up, and so does a request without a voice', async () => {
    let works = true
    const first = named('one', 'a')
    const broken: SpeechEngine = {
      ...first,
      synthesize: (...given) => (works ? first.synthesize(...given) : Promise.reject(new EngineLostError('gone'))),
    }
    const pool = await started(entry('1', { speech: broken }), entry('2', { speech: named('two', 'a', 'b') }))
    expect(pool.speech.voices.map(({ isUp }) => isUp)).toEqual([true, true])
    works = false
    await expect(spoken(pool, 'a')).rejects.toBeInstanceOf(EngineUnavailableError)
    expect(await spoken(pool, 'a')).toBe('two')
    expect(pool.speech.voices.map(({ id, isUp }) => [id, isUp])).toEqual([
      ['a', true],
      ['b', true],
    ])
  })

  test('a voice that was built on a bundled one keeps its engine beside another engine with the same voice id', async () => {
    const traits = { timbre: 'male', pitchHz: 100, rangeSemitones: 2, syllablesPerSecond: 4 } as const
    const voices = [{ id: 'rms', name: 'rms of bundled', language: 'en', traits }]
    const pool = await started(
      entry('far', { speech: named('far', 'rms') }),
      entry('bundled', { speech: { ...named('bundled'), voices } }),
    )
    expect(pool.speech.voices.map(({ name }) => name)).toEqual(['rms of far'])
    expect(pool.speech.bases?.map(({ name }) => name)).toEqual(['rms of bundled'])
    const manner = { pitchHz: 90, rangeSemitones: 2, tempo: 1, size: 1 }
    expect([await spoken(pool, 'rms'), await spoken(pool, 'rms', manner)]).toEqual(['far', 'bundled'])
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
    expect(heard([listener('first', { state: down(9) }), listener('second')])).toBe('second')
    const none = [listener('first', { state: down(9) }), listener('second', { state: down(4) })]
    expect(() => chooseRecognizer(none, {})).toThrow(new EngineUnavailableError('recognition', 4))
  })

  test('one that passes its probes and fails at three recordings is the last choice for a time, then is tried again', async () => {
    let works = false
    const heardBy: string[] = []
    const ear = (name: string): PoolEntry => {
      const { recognition } = hearing(async (pcm) => {
        heardBy.push(name)
        await read(pcm)
        if (name === 'far' && !works) throw new EngineLostError('504')
        return 1
      })
      return entry(name, { recognition })
    }
    const pool = await started(ear('far'), ear('next'))
    const hear = async (recording: number): Promise<void> => {
      const pcm = async function* sound() {
        yield Uint8Array.of(recording, 0)
      }
      await pool.recognition.recognize(pcm()).catch(() => undefined)
      // The probe that follows passes.
      await settle()
    }
    for (const recording of [1, 1, 1, 2, 3, 4, 5]) await hear(recording)
    expect(heardBy).toEqual(['far', 'far', 'far', 'far', 'far', 'next', 'next'])
    expect(pool.named.map(({ state }) => state.up)).toEqual([true, true])
    await clock.pass(30_000)
    works = true
    for (const recording of [6, 7]) await hear(recording)
    expect(heardBy.slice(-2)).toEqual(['far', 'far'])
  })

  test('a language that no recognizer has is refused with the languages that there are', () => {
    const members = [listener('a', { languages: ['de'] }), listener('b', { languages: ['en'] })]
    expect(() => chooseRecognizer(members, { language: 'ja' })).toThrow(/use one of de, en/)
  })

  test('the languages of recognizers are known when those of each are', async () => {
    const { recognition } = hearing(async () => 1)
    const [german, english, any] = [
      entry('a', { recognition }, { languages: ['de'] }),
      entry('b', { recognition }, { languages: ['en'] }),
      entry('c', { recognition }),
    ]
    expect((await started(german, english)).recognition.languages).toEqual(['de', 'en'])
    expect((await started(german, any)).recognition.languages).toBeUndefined()
    expect((await started(entry('a', { recognition: { ...recognition, language: 'en' } }))).recognition).toMatchObject({
      language: 'en',
      languages: undefined,
    })
  })

  test('a port is up while one of its engines is, and is retried when the first of them is', async () => {
    const broken = { ...scriptedEngine(), synthesize: () => Promise.reject(new EngineFailedError('broken')) }
    const { states } = await started(entry('a', { speech: broken }), entry('b', { speech: scriptedEngine() }))
    expect(states.speech.up).toBe(true)
    const { states: none } = await started(entry('a', { speech: broken }), entry('b', { speech: broken }))
    expect(none.speech).toMatchObject({ up: false, retryAfterSeconds: 1 })
  })
})
