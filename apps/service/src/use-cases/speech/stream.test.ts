import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type FakeServices, createFakeServices, namesIn } from '../../../test/support/fake-services.ts'
import { type StreamOrder } from './rules.ts'
import { StreamRecording, type StreamedSpeech, streamSpeech } from './stream.ts'
import { ClientDisconnectedError, OutcomeUnknownError } from '../../domain/errors.ts'

describe('a stream of speech', () => {
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
  const task = async (id: string) => services.stores.tasks.find('t', id)
  const GONE = { status: 'FAILED', error: { code: 'client_disconnected' } }

  test('speech read to its end has succeeded, even if the reader returns afterwards', async () => {
    const { taskId, chunks } = await start()
    const reader = chunks[Symbol.asyncIterator]()
    expect((await reader.next()).value).toEqual(Buffer.from('Hello'))
    expect(await reader.next()).toMatchObject({ done: true })
    await reader.return?.()
    expect(await task(taskId)).toMatchObject({ status: 'SUCCESS' })
    expect(await namesIn(services.objects.results)).toEqual([`${taskId}.wav`])
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
    expect(await namesIn(services.objects.results)).toEqual([])
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
})

describe('the recording of a stream', () => {
  let services: FakeServices
  let leave: AbortController
  beforeEach(async () => {
    services = await createFakeServices()
    leave = new AbortController()
  })
  afterEach(() => services.close())

  const begin = (): Promise<StreamRecording> => {
    const pcm = { sampleRate: 16_000, channels: 1, bitDepth: 16 }
    const rest = { tenant: 't', model: 'm', aigc: undefined, signal: leave.signal }
    return StreamRecording.begin(services, { taskId: 'task_1', pcm, ...rest })
  }
  const task = () => services.stores.tasks.find('t', 'task_1')
  const GONE = { status: 'FAILED', error: { code: 'client_disconnected' } }

  test('the written bytes are the task’s file, and no timer remains', async () => {
    const recording = await begin()
    for (const text of ['ab', 'cd']) await recording.write(Buffer.from(text))
    await recording.succeed()
    expect(await task()).toMatchObject({ status: 'SUCCESS', result: { file: 'task_1.wav', response_format: 'wav' } })
    expect(await services.objects.results.stat('task_1.wav')).toMatchObject({ bytes: 4 })
    expect(services.clock.timers).toBe(0)
  })

  test('an ended task does not change after a later disconnect or failure', async () => {
    const recording = await begin()
    await recording.succeed()
    leave.abort(new ClientDisconnectedError())
    await recording.fail(new Error('too late'))
    expect(await task()).toMatchObject({ status: 'SUCCESS' })
    expect(await namesIn(services.objects.results)).toEqual(['task_1.wav'])
  })

  test('a disconnect ends the recording without a reader, and later writes are refused', async () => {
    const recording = await begin()
    await recording.write(Buffer.from('ab'))
    leave.abort(new ClientDisconnectedError())
    await expect.poll(task).toMatchObject(GONE)
    await expect(recording.write(Buffer.from('cd'))).rejects.toBeInstanceOf(ClientDisconnectedError)
    await expect(recording.succeed()).rejects.toBeInstanceOf(ClientDisconnectedError)
    expect(await namesIn(services.objects.results)).toEqual([])
    expect(services.clock.timers).toBe(0)
  })

  test('a disconnect while the file is being stored leaves no file', async () => {
    const recording = await begin()
    await recording.write(Buffer.from('ab'))
    const ending = recording.succeed()
    leave.abort(new ClientDisconnectedError())
    await expect(ending).rejects.toBeInstanceOf(ClientDisconnectedError)
    await expect.poll(task).toMatchObject(GONE)
    await expect.poll(() => namesIn(services.objects.results)).toEqual([])
  })

  test('a disconnect in advance creates a failed task', async () => {
    leave.abort(new ClientDisconnectedError())
    await expect(begin()).rejects.toBeInstanceOf(ClientDisconnectedError)
    expect(await task()).toMatchObject(GONE)
    expect(services.clock.timers).toBe(0)
  })

  test('a task with a lost lease does not succeed, and its file is removed', async () => {
    const recording = await begin()
    await services.stores.tasks.dropLeases()
    await expect(recording.succeed()).rejects.toThrow('lease')
    await recording.fail(new Error('The lease was lost'))
    expect(await task()).toMatchObject({ status: 'PROCESSING' })
    expect(await namesIn(services.objects.results)).toEqual([])
  })

  test('an error while ending the task is logged', async () => {
    await begin()
    vi.spyOn(services.stores.tasks, 'fail').mockRejectedValue(new Error('read-only'))
    leave.abort(new ClientDisconnectedError())
    await expect.poll(() => services.logged.join('')).toContain('a stream could not be ended')
  })

  test('a stream whose success was stored without a response succeeds, and its file stays', async () => {
    const recording = await begin()
    const succeed = services.stores.tasks.succeed.bind(services.stores.tasks)
    vi.spyOn(services.stores.tasks, 'succeed').mockImplementationOnce(async (...given) => {
      await succeed(...given)
      throw new OutcomeUnknownError()
    })
    const end = recording.succeed()
    const settled = end.catch(() => undefined)
    await expect.poll(() => services.logged.join('')).toContain('the end of a task waits for the database')
    await services.clock.pass(1000)
    await settled
    await expect(end).resolves.toBeUndefined()
    expect(await task()).toMatchObject({ status: 'SUCCESS' })
    expect(await namesIn(services.objects.results)).toHaveLength(1)
  })

  test('a stream whose success may be stored is cut: its file stays for the clean-up', async () => {
    const recording = await begin()
    vi.spyOn(services.stores.tasks, 'succeed').mockRejectedValue(new OutcomeUnknownError())
    vi.spyOn(services.stores.tasks, 'fail').mockResolvedValue(false)
    const end = recording.succeed()
    end.catch(() => undefined)
    await expect.poll(() => services.logged.join('')).toContain('the end of a task waits for the database')
    leave.abort(new ClientDisconnectedError())
    await expect(end).rejects.toThrow(OutcomeUnknownError)
    await recording.fail(new ClientDisconnectedError())
    expect(await namesIn(services.objects.results)).toHaveLength(1)
  })
})
