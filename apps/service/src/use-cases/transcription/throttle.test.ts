import { expect, test } from 'vitest'
import { settle } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import { FairSemaphore } from '../../domain/fair-semaphore.ts'
import { throttled } from './throttle.ts'

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
