import { Readable } from 'node:stream'
import { describe, expect, test, vi } from 'vitest'
import { ManualClock, settle } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import { EventQueue } from '../use-cases/transcription/event-queue.ts'
import { eventFrame, liveFrames } from './send-events.ts'

test('a frame is one line of data for any text', () => {
  expect(eventFrame({ type: 'a', text: 'one\ntwo\r\n\u2028' })).toBe(
    'data: {"type":"a","text":"one\\ntwo\\r\\n\u2028"}\n\n',
  )
})

test('a comment follows fifteen silent seconds, and no event is lost', async () => {
  const clock = new ManualClock()
  const queue = new EventQueue<{ type: string }>()
  const frames: string[] = []
  const reading = (async () => {
    for await (const frame of liveFrames(queue, clock)) frames.push(frame)
  })()
  await settle()
  await clock.pass(14_000)
  queue.push({ type: 'a' })
  await settle()
  await clock.pass(14_000)
  expect(frames).toEqual([eventFrame({ type: 'a' })])
  await clock.pass(32_000)
  expect(frames.slice(1)).toEqual([': keep-alive\n\n', ': keep-alive\n\n', ': keep-alive\n\n'])
  queue.push({ type: 'b' })
  queue.end()
  await reading
  expect(frames.slice(4)).toEqual([eventFrame({ type: 'b' })])
  expect(clock.timers).toBe(0)
})

test('a disconnect cancels the events and leaves no timer', async () => {
  const clock = new ManualClock()
  let left = false
  async function* events() {
    try {
      for (;;) yield { type: 'a' }
    } finally {
      left = true
    }
  }
  for await (const frame of liveFrames(events(), clock)) {
    expect(frame).toBe(eventFrame({ type: 'a' }))
    break
  }
  expect(left).toBe(true)
  expect(clock.timers).toBe(0)
})

describe('a disconnect before the first frame', () => {
  function watchedEvents() {
    const next = vi.fn<() => Promise<IteratorResult<object>>>()
    const back = vi.fn<() => Promise<IteratorResult<object>>>(async () => ({ done: true, value: undefined }))
    return { next, back, events: { [Symbol.asyncIterator]: () => ({ next, return: back }) } }
  }

  test('cancels the events without reading any', async () => {
    const clock = new ManualClock()
    const { next, back, events } = watchedEvents()
    const frames = liveFrames(events, clock)[Symbol.asyncIterator]()
    expect(await frames.return?.()).toEqual({ done: true, value: undefined })
    expect(back).toHaveBeenCalledOnce()
    expect(next).not.toHaveBeenCalled()
    expect(clock.timers).toBe(0)
  })

  test.each([undefined, new Error('the connection was cut')])('when the stream is destroyed with %s', async (error) => {
    const { back, events } = watchedEvents()
    const stream = Readable.from(liveFrames(events, new ManualClock()), { objectMode: false })
    stream.on('error', () => undefined)
    stream.destroy(error)
    await settle()
    expect(back).toHaveBeenCalledOnce()
  })
})

test('failed events fail the frames and leave no timer', async () => {
  const clock = new ManualClock()
  async function* events(): AsyncGenerator<object> {
    yield { type: 'a' }
    throw new Error('broken')
  }
  const frames = liveFrames(events(), clock)[Symbol.asyncIterator]()
  expect(await frames.next()).toEqual({ done: false, value: eventFrame({ type: 'a' }) })
  await expect(frames.next()).rejects.toThrow('broken')
  expect(clock.timers).toBe(0)
})
