import { EngineFailedError, type Synthesis, UnspeakableTextError } from '@svc-audio/engine-ports'
import { describe, expect, test } from 'vitest'
import { countedDiarization, countedRecognition, countedSpeech, WorkCount } from './counted-engines.ts'

const close = async (): Promise<void> => undefined
const nothing = async function* none() {}
const request = { text: 'Hello.', voiceId: 'a' }

/** An engine whose speech is a second of 16-bit stereo at 100 Hz in two chunks, and then the end or an error. */
function speaking(failure?: Error, refusal?: Error) {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(200)
    yield new Uint8Array(200)
    if (failure !== undefined) throw failure
  }
  const count = new WorkCount()
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
