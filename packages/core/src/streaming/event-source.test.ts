import { describe, expect, test } from 'vitest'
import { rejection } from '../../test/support/clients.ts'
import { bodyOf, fedBody, type FedBody } from '../../test/support/event-body.ts'
import { CREATED, delta, DONE, frames, pcm } from '../../test/support/speech.ts'
import { steppedClock, type SteppedClock } from '../../test/support/stepped-clock.ts'
import { StreamTruncatedError, TimeoutError } from '../errors.ts'
import { EventSource } from './event-source.ts'
import { SseSpeechSource } from './speech-stream.ts'

const EVENT = frames({ type: 'x' })

function start(fed: FedBody = fedBody()): FedBody & { source: EventSource; clock: SteppedClock } {
  const clock = steppedClock()
  return { ...fed, source: new EventSource(fed.body, 'x.done', { clock, idleEventsTimeout: 100 }), clock }
}

/** Lets everything continue that waits for nothing but promises. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('the deadline between two events', () => {
  test('passes: the body is cancelled, the read rejects, no timer stays', async () => {
    const { source, clock, feed, calls } = start()
    feed(EVENT)
    expect(await source.next()).toBeDefined()
    const failed = rejection(source.next())
    clock.advance(99)
    expect(calls).toEqual([])
    clock.advance(1)
    expect(await failed).toBeInstanceOf(TimeoutError)
    expect(await failed).toMatchObject({ phase: 'events', message: 'No event came within 100 ms' })
    expect(calls).toContain('cancel')
    expect(clock.timers()).toBe(0)
  })

  test('passes before the first event too', async () => {
    const { source, clock } = start()
    const failed = rejection(source.next())
    clock.advance(100)
    expect(await failed).toMatchObject({ phase: 'events' })
  })

  test('passes although comments, other fields and halves of events come', async () => {
    const { source, clock, feed } = start()
    const failed = rejection(source.next())
    for (const bytes of [': alive\n\n', 'event: ping\n\n', 'data: {"ty', 'pe":', '"x"}\n', ': alive\n']) {
      feed(bytes)
      await settle()
      clock.advance(20)
    }
    expect(await failed).toMatchObject({ phase: 'events' })
  })

  test('passes for a body that ends when it is cancelled, instead of failing', async () => {
    const { body, end, ...rest } = fedBody()
    const clock = steppedClock()
    const source = new EventSource(
      { ...body, cancel: end, [Symbol.asyncIterator]: body[Symbol.asyncIterator] },
      'x.done',
      {
        clock,
        idleEventsTimeout: 100,
      },
    )
    rest.feed(': alive\n\n')
    const failed = rejection(source.next())
    clock.advance(100)
    expect(await failed).toMatchObject({ phase: 'events' })
    expect(clock.timers()).toBe(0)
  })

  test('restarts with each event', async () => {
    const { source, clock, feed } = start()
    for (let count = 0; count < 20; count += 1) {
      const read = source.next()
      await settle()
      clock.advance(90)
      feed(EVENT)
      expect(await read).toBeDefined()
    }
  })

  test('does not count the time of the reader', async () => {
    const { source, clock, feed } = start()
    feed(EVENT + EVENT)
    for (let count = 0; count < 2; count += 1) {
      expect(await source.next()).toBeDefined()
      clock.advance(10_000)
    }
    expect(clock.timers()).toBe(0)
    const read = source.next()
    clock.advance(99)
    feed(EVENT)
    expect(await read).toBeDefined()
  })

  test('costs no timer an event', async () => {
    const { source, clock, feed } = start()
    for (let count = 0; count < 500; count += 1) {
      feed(EVENT)
      await source.next()
    }
    expect(clock.set).toEqual([100])
  })

  test.each<[string, (started: ReturnType<typeof start>) => Promise<unknown>]>([
    ['the end', async ({ source, end }) => [end(), await rejection(source.next())]],
    ['a cut', async ({ source, feed, end }) => [feed('data: {'), end(), await rejection(source.next())]],
    ['a failed connection', async ({ source, fail }) => [fail(new Error('x')), await rejection(source.next())]],
    ['cancel()', async ({ source }) => source.cancel()],
    ['finish()', async ({ source }) => source.finish()],
    ['rest()', async ({ source }) => source.rest()],
  ])('leaves no timer after %s', async (_, finish) => {
    const started = start()
    started.feed(EVENT)
    await started.source.next()
    expect(started.clock.timers()).toBe(1)
    await finish(started)
    expect(started.clock.timers()).toBe(0)
  })

  test('changes nothing about a connection that fails, nor about an abort', async () => {
    const cut = start()
    cut.fail(new StreamTruncatedError('cut', { bytes: 3 }))
    expect(await rejection(cut.source.next())).toMatchObject({ name: 'StreamTruncatedError', events: 0 })
    const aborted = start()
    const reason = new Error('enough')
    const failed = rejection(aborted.source.next())
    aborted.fail(reason)
    aborted.clock.advance(100)
    expect(await failed).toBe(reason)
  })

  test('is none unless it is given', async () => {
    const { body, end } = fedBody()
    const read = rejection(new EventSource(body, 'x.done').next())
    await settle()
    end()
    expect(await read).toMatchObject({ name: 'StreamTruncatedError', events: 0 })
  })
})

describe('the deadline of a speech stream', () => {
  const AUDIO = pcm(100)

  test('covers the wait for speech.created', async () => {
    const { body } = fedBody()
    const clock = steppedClock()
    const failed = rejection(SseSpeechSource.open(body, { clock, idleEventsTimeout: 100 }))
    clock.advance(100)
    expect(await failed).toMatchObject({ phase: 'events' })
    expect(clock.timers()).toBe(0)
  })

  test('covers the wait for audio and for events', async () => {
    for (const read of ['pcm', 'events'] as const) {
      const { body, feed } = fedBody()
      const clock = steppedClock()
      feed(frames(CREATED))
      const source = await SseSpeechSource.open(body, { clock, idleEventsTimeout: 100 })
      const chunks = source[read]()
      if (read === 'events') await chunks.next()
      const failed = rejection(chunks.next())
      await settle()
      clock.advance(100)
      expect(await failed).toMatchObject({ phase: 'events' })
      expect(clock.timers()).toBe(0)
    }
  })

  test('holds no timer while the stream is not read, nor after its end', async () => {
    const { body, calls } = bodyOf(frames(CREATED), frames(delta(AUDIO)), frames(DONE))
    const clock = steppedClock()
    const source = await SseSpeechSource.open(body, { clock, idleEventsTimeout: 100 })
    expect(clock.timers()).toBe(0)
    clock.advance(10_000)
    for await (const chunk of source.pcm()) expect(chunk).toHaveLength(100)
    expect(clock.timers()).toBe(0)
    expect(calls).toEqual(['release'])
  })
})
