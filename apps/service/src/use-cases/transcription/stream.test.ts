import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TranscriptionStreamEvent } from '@svc-audio/core'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { gather } from '../../../test/codec/sound.ts'
import { type FakeServices, createFakeServices } from '../../../test/support/fake-services.ts'
import { settle } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import { ClientDisconnectedError } from '../../domain/errors.ts'
import { ServiceError } from '../../domain/service-error.ts'
import { EventQueue, streamTranscription } from './stream.ts'

describe('a streamed transcription', () => {
  let services: FakeServices
  let path: string
  let leave: AbortController
  /** The events, after the response has begun. */
  let answered: AsyncIterable<TranscriptionStreamEvent> | undefined
  beforeEach(async () => {
    services = await createFakeServices()
    path = join(services.dataDir, 'file')
    await writeFile(path, 'what is heard')
    leave = new AbortController()
    answered = undefined
  })
  afterEach(() => services.close())

  function stream(): Promise<boolean> {
    const work = { diarize: true, keyterms: [] }
    const options = { tenant: 't', signal: leave.signal }
    return streamTranscription(services, { path, model: 'm', work }, options, (told) => (answered = told))
  }

  async function events(): Promise<TranscriptionStreamEvent[]> {
    if (answered === undefined) throw new Error('There is no response')
    return gather(answered)
  }

  async function task(): Promise<unknown> {
    const [created] = await events()
    return services.stores.tasks.find('t', created?.type === 'task.created' ? created.task_id : '')
  }

  /** An error of the engine that occurs when the test says so. */
  function hangingEngine(): PromiseWithResolvers<string> {
    const end = Promise.withResolvers<string>()
    services.hear = () => end.promise
    return end
  }

  test('the stream ends with the whole text, and the task has the result', async () => {
    await stream()
    expect(await events()).toEqual([
      expect.objectContaining({
        type: 'task.created',
        object: 'audio.transcription',
        status: 'PROCESSING',
        model: 'm',
      }),
      { type: 'transcript.text.done', text: 'what is heard' },
    ])
    expect(services.clock.timers).toBe(0)
  })

  test('the task succeeds before the last event is readable', async () => {
    await stream()
    expect(await task()).toMatchObject({ status: 'SUCCESS', result: { task: 'transcribe', text: 'what is heard' } })
  })

  describe('the response begins', () => {
    test('after the first decoded sound, while the recognizer works', async () => {
      const engine = hangingEngine()
      const work = stream()
      await expect.poll(() => answered).toBeDefined()
      engine.resolve('late')
      await work
      expect((await events()).at(-1)).toEqual({ type: 'transcript.text.done', text: 'late' })
    })

    test('after two seconds when the recognizer is busy', async () => {
      const { recognition } = services.engines.semaphores
      const others = Promise.withResolvers<undefined>()
      const busy = [1, 2].map(() => recognition.use('other', leave.signal, () => others.promise))
      const work = stream()
      await settle()
      await services.clock.pass(1900)
      expect(answered).toBeUndefined()
      await services.clock.pass(200)
      expect(answered).toBeDefined()
      others.resolve(undefined)
      await Promise.all([work, ...busy])
      expect((await events()).at(-1)).toMatchObject({ type: 'transcript.text.done' })
    })
  })

  describe('a failure', () => {
    test('before the first sound is thrown, and fails the task', async () => {
      const fail = vi.spyOn(services.stores.tasks, 'fail')
      Object.assign(services.engines.codec, {
        decode: () => {
          throw new ServiceError(415, 'undecodable_audio', 'no sound')
        },
      })
      await expect(stream()).rejects.toMatchObject({ status: 415 })
      expect(answered).toBeUndefined()
      expect(fail).toHaveBeenCalledWith(
        expect.anything(),
        { code: 'undecodable_audio', message: 'no sound' },
        { characters: 0, speechMs: 0, recordingMs: 0 },
      )
      expect(services.clock.timers).toBe(0)
    })

    test('after the first sound is the last event, without its cause', async () => {
      services.hear = async () => {
        throw new Error('path /secret')
      }
      await stream()
      expect((await events()).at(-1)).toMatchObject({ type: 'error', error: { code: 'internal_error' } })
      expect(services.logged.join()).toContain('a stream failed')
    })

    test('by disconnect fails the task with its own code', async () => {
      const engine = hangingEngine()
      const work = stream()
      await expect.poll(() => answered).toBeDefined()
      leave.abort(new ClientDisconnectedError())
      engine.reject(leave.signal.reason)
      await work
      expect(await task()).toMatchObject({ status: 'FAILED', error: { code: 'client_disconnected' } })
      expect(services.logged).toEqual([])
    })

    test('of the lease ends the stream, and leaves the task to the other worker', async () => {
      const engine = hangingEngine()
      const work = stream()
      await expect.poll(() => answered).toBeDefined()
      await services.stores.tasks.dropLeases()
      engine.resolve('too late')
      await work
      expect((await events()).at(-1)).toMatchObject({ type: 'error' })
    })
  })
})

describe('a queue of events', () => {
  test('events pushed before and during reads come in order, until the end', async () => {
    const queue = new EventQueue<number>()
    queue.push(1, 2)
    const read: number[] = []
    const reading = (async () => {
      for await (const event of queue) {
        read.push(event)
        if (event === 2) queue.push(3)
        if (event === 3) setImmediate(() => queue.push(4))
        if (event === 4) {
          queue.push(5)
          queue.end()
        }
      }
    })()
    await reading
    expect(read).toEqual([1, 2, 3, 4, 5])
  })

  test('an end before the first read comes after earlier events', async () => {
    const queue = new EventQueue<string>()
    queue.push('only')
    queue.end()
    const events = queue[Symbol.asyncIterator]()
    expect(await events.next()).toEqual({ done: false, value: 'only' })
    expect(await events.next()).toEqual({ done: true, value: undefined })
  })

  test('the end wakes a waiting reader', async () => {
    const queue = new EventQueue<string>()
    const next = queue[Symbol.asyncIterator]().next()
    queue.end()
    expect((await next).done).toBe(true)
  })
})
