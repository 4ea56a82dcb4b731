import { EngineFailedError, type Synthesis, UnspeakableTextError } from '@svc-audio/engine-ports'
import { describe, expect, test } from 'vitest'
import type { EngineClient, EngineUse, UsedEngine } from '../../ports/engine-state.ts'
import { countedDiarization, countedRecognition, countedSpeech, WorkCount } from './counted-engines.ts'

const close = async (): Promise<void> => undefined
const nothing = async function* none() {}
const request = { text: 'Hello.', voiceId: 'a' }

/** An engine whose speech is a second of 16-bit stereo at 100 Hz in two chunks, and then the end or an error. */
function speaking(failure?: Error, refusal?: Error, count = new WorkCount()) {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(200)
    yield new Uint8Array(200)
    if (failure !== undefined) throw failure
  }
  const synthesize = async (): Promise<Synthesis> => {
    if (refusal !== undefined) throw refusal
    return { format: { sampleRate: 100, channels: 2, bitDepth: 16 }, chunks: chunks() }
  }
  return { count, engine: countedSpeech({ name: 'a', voices: [], synthesize, close }, count) }
}

describe('speech', () => {
  test('counts by its length, as far as it was read', async () => {
    const { engine, count } = speaking()
    const { chunks } = await engine.synthesize(request)
    for await (const chunk of chunks) if (chunk.length > 0) break
    expect(count.seconds).toBe(0.5)
    for await (const chunk of (await engine.synthesize(request)).chunks) expect(chunk).toHaveLength(200)
    expect([count.seconds, count.failures]).toEqual([1.5, 0])
  })

  test('that fails in the middle is a failure, and counts until then', async () => {
    const { engine, count } = speaking(new EngineFailedError('gone'))
    const { chunks } = await engine.synthesize(request)
    const read = async (): Promise<void> => {
      for await (const chunk of chunks) expect(chunk).toHaveLength(200)
    }
    await expect(read()).rejects.toThrow('gone')
    expect([count.seconds, count.failures]).toEqual([1, 1])
  })

  test.each([
    ['a refusal of the engine', 'is a failure', new EngineFailedError('no'), 1],
    ['a text that nobody can speak', 'is no failure', new UnspeakableTextError('…'), 0],
    ['an abort', 'is no failure', new DOMException('stop', 'AbortError'), 0],
  ])('%s %s', async (_, _is, refusal, failures) => {
    const { engine, count } = speaking(undefined, refusal)
    await expect(engine.synthesize(request)).rejects.toBe(refusal)
    expect(count.failures).toBe(failures)
  })
})

test('recordings count once they are recognized or separated, and failures of the engine', async () => {
  const count = new WorkCount()
  const recognize = async () => ({ text: '', words: [], durationSeconds: 3 })
  const diarize = async () => ({ segments: [], durationSeconds: 4 })
  await countedRecognition({ name: 'a', recognize, close }, count).recognize(nothing())
  await countedDiarization({ name: 'b', diarize, close }, count).diarize(nothing())
  const fail = () => Promise.reject(new EngineFailedError('gone'))
  await expect(countedRecognition({ name: 'a', recognize: fail, close }, count).recognize(nothing())).rejects.toThrow(
    'gone',
  )
  await expect(countedDiarization({ name: 'b', diarize: fail, close }, count).diarize(nothing())).rejects.toThrow(
    'gone',
  )
  expect([count.seconds, count.failures]).toEqual([7, 2])
})

describe('the work for a client', () => {
  const client: EngineClient = { tenant: 'acme', id: 'task_1' }

  function told() {
    const begun: (readonly [UsedEngine, EngineClient])[] = []
    const ended: EngineUse[] = []
    const listener = {
      begun: (used: UsedEngine, of: EngineClient) => void begun.push([used, of]),
      ended: (use: EngineUse) => void ended.push(use),
    }
    const count = (port: UsedEngine['port']) => new WorkCount({ used: { engine: 'far', port }, listener })
    return { begun, ended, count }
  }

  test('begins with the first read and ends once, with what was made', async () => {
    const { begun, ended, count } = told()
    const { engine } = speaking(undefined, undefined, count('speech'))
    const { chunks } = await engine.synthesize(request, { client })
    expect(begun).toEqual([])
    const reader = chunks[Symbol.asyncIterator]()
    await reader.next()
    expect(begun).toEqual([[{ engine: 'far', port: 'speech' }, client]])
    await reader.return?.()
    await reader.return?.()
    expect(ended).toEqual([{ engine: 'far', port: 'speech', client, failed: false, characters: 6, seconds: 0.5 }])
  })

  test('is told as failed only where the engine failed', async () => {
    const { ended, count } = told()
    for (const failure of [new EngineFailedError('gone'), new DOMException('stop', 'AbortError')]) {
      const { engine } = speaking(failure, undefined, count('speech'))
      const read = async (): Promise<void> => {
        for await (const chunk of (await engine.synthesize(request, { client })).chunks) expect(chunk).toHaveLength(200)
      }
      await expect(read()).rejects.toBe(failure)
    }
    expect(ended.map(({ failed }) => failed)).toEqual([true, false])
  })

  test('on a recording has the length that the engine has taken, also after a failure', async () => {
    const { ended, count } = told()
    const second = async function* pcm() {
      yield new Uint8Array(32_000)
      yield new Uint8Array(32_000)
    }
    const take = async (pcm: AsyncIterable<Uint8Array>) => {
      for await (const chunk of pcm) if (chunk.length > 0) throw new EngineFailedError('gone')
      return { text: '', words: [], segments: [], durationSeconds: 2 }
    }
    const recognizer = countedRecognition({ name: 'a', recognize: take, close }, count('recognition'))
    await expect(recognizer.recognize(second(), { client })).rejects.toThrow('gone')
    const diarizer = countedDiarization({ name: 'a', diarize: take, close }, count('diarization'))
    await expect(diarizer.diarize(second(), { client })).rejects.toThrow('gone')
    expect(ended).toMatchObject([
      { port: 'recognition', failed: true, characters: 0, seconds: 1 },
      { port: 'diarization', failed: true, characters: 0, seconds: 1 },
    ])
  })

  test('never reaches the engine itself', async () => {
    const given: object[] = []
    const recognize = async (_pcm: unknown, options: object = {}) => {
      given.push(options)
      return { text: '', words: [], durationSeconds: 1 }
    }
    await countedRecognition({ name: 'a', recognize, close }, new WorkCount()).recognize(nothing(), { client })
    expect(given).toEqual([{}])
  })
})
