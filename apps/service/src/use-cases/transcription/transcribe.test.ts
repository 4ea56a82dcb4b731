import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type FakeServices, createFakeServices } from '../../../test/support/fake-services.ts'
import { settle } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import { rejection } from '@svc-audio/kit/engine-fixtures/rejection.ts'
import { type DecodedFile, EngineFailedError } from '@svc-audio/engine-ports'
import { throttled, transcribe } from './transcribe.ts'
import { FairSemaphore } from '../../domain/fair-semaphore.ts'

describe('a transcription', () => {
  let services: FakeServices
  let path: string
  beforeEach(async () => {
    services = await createFakeServices()
    path = join(services.dataDir, 'sound')
    await writeFile(path, 'heard')
  })
  afterEach(() => services.close())

  const signal = new AbortController().signal
  const work = { diarize: true, keyterms: [] }

  /** Holds every turn of the diarizer until it is released. */
  function occupy(): () => Promise<void> {
    const { diarization } = services.engines.semaphores
    const latch = Promise.withResolvers<void>()
    const held = Array.from({ length: diarization.size }, () =>
      diarization.use('other', new AbortController().signal, () => latch.promise),
    )
    return async () => {
      latch.resolve()
      await Promise.all(held)
    }
  }

  describe('speakers', () => {
    test('are told apart in the tenant’s turn', async () => {
      const { diarization, recognition } = services.engines.semaphores
      const release = occupy()
      const transcription = transcribe(services, path, work, { tenant: 't', signal })
      while (diarization.waiting === 0) await settle()
      expect(recognition.busy).toBe(1)
      await release()
      expect(await transcription).toMatchObject({ text: 'heard', segments: [] })
      expect([diarization.busy, recognition.busy]).toEqual([0, 0])
    })

    test('that are still in the queue do not delay an error', async () => {
      const { diarization, recognition } = services.engines.semaphores
      const release = occupy()
      services.hear = () => Promise.reject(new EngineFailedError('crashed'))
      const failed = await rejection(transcribe(services, path, work, { tenant: 't', signal }))
      expect(String(failed)).toContain('crashed')
      expect([diarization.waiting, recognition.busy]).toEqual([0, 0])
      await release()
    })

    test('that cannot be told apart fail the transcription with the reason', async () => {
      const diarization = {
        ...services.engines.diarization,
        diarize: () => Promise.reject(new EngineFailedError('crashed')),
      }
      const failed = await rejection(
        transcribe({ ...services, engines: { ...services.engines, diarization } }, path, work, { tenant: 't', signal }),
      )
      expect(failed).toBeInstanceOf(EngineFailedError)
      expect(services.engines.semaphores.diarization.busy).toBe(0)
    })
  })

  describe('a file', () => {
    /** Services whose codec says this at the end of a file. */
    const ending = (file: DecodedFile): FakeServices => {
      const decode: FakeServices['engines']['codec']['decode'] = async function* (_path, { onEnd } = {}) {
        yield Buffer.from('heard')
        onEnd?.(file)
      }
      return { ...services, engines: { ...services.engines, codec: { ...services.engines.codec, decode } } }
    }

    test('lasts as long as a player plays it', async () => {
      const transcription = transcribe(ending({ durationSeconds: 25, endsEarly: false }), path, work, {
        tenant: 't',
        signal,
      })
      expect(await transcription).toMatchObject({ duration: 25 })
      expect(services.logged).toEqual([])
    })

    test('that ends early is told to the caller and to the log', async () => {
      const cut = ending({ durationSeconds: 3, endsEarly: true })
      let told = 0
      const onEarlyEnd = (): void => void (told += 1)
      expect(await transcribe(cut, path, work, { tenant: 't', id: 'task_1', signal, onEarlyEnd })).toMatchObject({
        text: 'heard',
      })
      expect(told).toBe(1)
      expect(services.logged.join()).toMatch(/a recording ends early.*"tenant":"t","id":"task_1","seconds":3/)
    })
  })

  test('without speakers the diarizer is not used', async () => {
    const release = occupy()
    const plain = await transcribe(services, path, { diarize: false, keyterms: [] }, { tenant: 't', signal })
    expect(plain).toEqual({ text: 'heard' })
    await release()
  })
})

describe('a throttled recording', () => {
  const never = new AbortController().signal
  const SECOND = new Uint8Array(32_000)

  async function* seconds(count: number): AsyncGenerator<Uint8Array> {
    for (let second = 0; second < count; second += 1) yield SECOND
  }

  /** Reads everything, and lets other work run after each second. */
  async function listen(pieces: AsyncIterable<Uint8Array>): Promise<number> {
    let heard = 0
    for await (const piece of pieces) {
      heard += piece.byteLength / SECOND.byteLength
      await settle()
    }
    return heard
  }

  test('other tenants work between the pieces of a long recording', async () => {
    const processor = new FairSemaphore(1)
    let heard = 0
    const long = throttled(seconds(60), processor, { tenant: 'a', signal: never, cost: 1 }, async (pieces) => {
      for await (const piece of pieces) {
        heard += piece.byteLength / SECOND.byteLength
        await settle()
      }
    })
    await settle()
    const heardAt: number[] = []
    for (let piece = 0; piece < 3; piece += 1) {
      await processor.use('b', never, async () => void heardAt.push(heard), 5)
    }
    await long
    expect(heard).toBe(60)
    // Work of another tenant waits for one piece of five seconds, never for the recording.
    expect(heardAt.map((second) => second <= 20)).toEqual([true, true, true])
    expect(processor.busy).toBe(0)
  })

  test('a short recording of another tenant ends long before a long one', async () => {
    const processor = new FairSemaphore(1)
    const ended: string[] = []
    const work = (tenant: string, count: number): Promise<unknown> =>
      throttled(seconds(count), processor, { tenant, signal: never, cost: 1 }, listen).then(() => ended.push(tenant))
    await Promise.all([work('a', 200), work('a', 200), work('b', 5)])
    expect(ended).toEqual(['b', 'a', 'a'])
  })

  test('a recording that fails or is aborted holds no turn', async () => {
    const processor = new FairSemaphore(1)
    const broken = throttled(seconds(9), processor, { tenant: 'a', signal: never, cost: 1 }, async (pieces) => {
      await pieces[Symbol.asyncIterator]().next()
      throw new Error('broken')
    })
    await expect(broken).rejects.toThrow('broken')
    expect(processor.busy).toBe(0)
    const stop = new AbortController()
    const latch = Promise.withResolvers<undefined>()
    const holding = processor.use('b', never, () => latch.promise)
    const aborted = throttled(seconds(9), processor, { tenant: 'a', signal: stop.signal, cost: 1 }, listen)
    await settle()
    stop.abort(new Error('gone'))
    await expect(aborted).rejects.toThrow('gone')
    latch.resolve(undefined)
    await holding
    expect(processor).toMatchObject({ busy: 0, waiting: 0 })
  })
})
