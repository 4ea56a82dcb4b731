import { afterAll, beforeAll, expect, test } from 'vitest'
import { semaphoresOf } from '../../../test/support/fake-services.ts'
import { scriptedEngine } from '../../../test/support/scripted-engine.ts'
import type { SpeechEngine, Turn } from '@svc-audio/engine-ports'
import { createFliteEngine } from '@svc-audio/engines'
import { atMostSeconds, speechTurns } from './speak.ts'

let engine: SpeechEngine
beforeAll(async () => {
  engine = await createFliteEngine({ workers: 1 })
})
afterAll(() => engine.close())

async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0
  for await (const chunk of chunks) bytes += chunk.byteLength
  return bytes
}

test.each([{ expectedDurationSeconds: 30 }, { speed: 1 }])(
  'a long text with %j holds no slot between its sentences: another tenant speaks in the meantime',
  async (length) => {
    const semaphores = semaphoresOf(1)
    const text = 'This sentence is one of many. '.repeat(60)
    const turns = speechTurns(semaphores, 'a')
    const long = await engine.synthesize({ text, voiceId: 'rms', ...length }, { turns })
    let ended = false
    const reading = readAll(long.chunks).finally(() => (ended = true))
    const short = await engine.synthesize({ text: 'Hello.', voiceId: 'rms' }, { turns: speechTurns(semaphores, 'b') })
    expect(await readAll(short.chunks)).toBeGreaterThan(0)
    expect(ended).toBe(false)
    await long.chunks[Symbol.asyncIterator]().return?.()
    await reading
    expect(semaphores.speech).toMatchObject({ busy: 0, waiting: 0 })
  },
)

test.each([
  ['beside another tenant', ['b1', 'b2'], ['a1 first', 'b1 background', 'a2 background', 'b2 first', 'a3 first']],
  ['alone never', [], ['a1 first', 'a2 first', 'a3 first']],
])('work of a tenant with more than its slots is background work: %s', async (_, others, expected) => {
  const semaphores = semaphoresOf(1)
  const { signal } = new AbortController()
  const first = Promise.withResolvers<undefined>()
  const [a, b] = [speechTurns(semaphores, 'a'), speechTurns(semaphores, 'b')]
  const seen: string[] = []
  const note = (name: string, wait?: Promise<undefined>) => async (turn: Turn) => {
    seen.push(`${name} ${turn.background ? 'background' : 'first'}`)
    await wait
  }
  const all = Promise.all([
    a(1, signal, note('a1', first.promise)),
    ...['a2', 'a3'].map((name) => a(1, signal, note(name))),
    ...others.map((name) => b(1, signal, note(name))),
  ])
  first.resolve(undefined)
  await all
  expect(seen).toEqual(expected)
})

test('speech over the limit throws output_too_long, and stops the engine', async () => {
  const scripted = scriptedEngine()
  const speech = await scripted.synthesize({ text: 'x'.repeat(1001), voiceId: 'one' })
  await expect(readAll(atMostSeconds(speech, 1).chunks)).rejects.toMatchObject({
    status: 400,
    code: 'output_too_long',
    param: 'input',
  })
  expect(scripted.ended).toHaveLength(1)
})

test('speech of exactly the limit is complete', async () => {
  const speech = await scriptedEngine().synthesize({ text: 'x'.repeat(1000), voiceId: 'one' })
  expect(await readAll(atMostSeconds(speech, 1).chunks)).toBe(2000)
})

test('limited speech that is never read still stops its source', async () => {
  let left = false
  const chunks = {
    [Symbol.asyncIterator]: () => ({
      next: async () => ({ done: true, value: undefined }) as const,
      return: async () => {
        left = true
        return { done: true, value: undefined } as const
      },
    }),
  }
  const limited = atMostSeconds({ format: { sampleRate: 8000, channels: 1, bitDepth: 16 }, chunks }, 1)
  await limited.chunks[Symbol.asyncIterator]().return?.()
  expect(left).toBe(true)
})
