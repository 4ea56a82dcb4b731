import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFakeServices, type FakeServices, namesIn } from '../../../test/support/fake-services.ts'
import type { StreamOrder } from './speech-rules.ts'
import { type StreamedSpeech, streamSpeech } from './stream-speech.ts'

let services: FakeServices
let signal: AbortSignal
beforeEach(async () => {
  services = await createFakeServices()
  signal = new AbortController().signal
})
afterEach(() => services.close())

const order: StreamOrder = {
  model: 'm',
  text: 'Hello',
  voiceId: 'v',
  pauses: true,
  events: true,
  speed: undefined,
  expectedDurationSeconds: undefined,
  aigc: undefined,
}
const start = (): Promise<StreamedSpeech> =>
  streamSpeech(services, order, { tenant: 't', idempotency: undefined, signal })
const task = async (id: string) => services.tasks.find('t', id)
const GONE = { status: 'FAILED', error: { code: 'client_disconnected' } }

test('speech read to its end has succeeded, even if the reader returns afterwards', async () => {
  const { taskId, chunks } = await start()
  const reader = chunks[Symbol.asyncIterator]()
  expect((await reader.next()).value).toEqual(Buffer.from('Hello'))
  expect(await reader.next()).toMatchObject({ done: true })
  await reader.return?.()
  expect(await task(taskId)).toMatchObject({ status: 'SUCCESS' })
  expect(await namesIn(services.results)).toEqual([`${taskId}.wav`])
  expect(services.clock.timers).toBe(0)
})

test.each([
  ['before its first chunk', 0],
  ['after its first chunk', 1],
])('speech returned %s has failed, and leaves no file and no timer', async (_when, reads) => {
  const { taskId, chunks } = await start()
  const reader = chunks[Symbol.asyncIterator]()
  for (let chunk = 0; chunk < reads; chunk += 1) await reader.next()
  expect(await reader.return?.()).toMatchObject({ done: true })
  expect(await task(taskId)).toMatchObject(GONE)
  expect(await namesIn(services.results)).toEqual([])
  expect(services.clock.timers).toBe(0)
})

test('failed speech has its own error, even if the reader returns afterwards', async () => {
  services.speakWith = () => Promise.reject(new Error('broken'))
  const { taskId, chunks } = await start()
  const reader = chunks[Symbol.asyncIterator]()
  await expect(reader.next()).rejects.toThrow('broken')
  await reader.return?.()
  expect(await task(taskId)).toMatchObject({ status: 'FAILED', error: { code: 'internal_error' } })
  expect(services.clock.timers).toBe(0)
})
