import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { listAll, rejection } from '../../test/support/clients.ts'
import { bodyOf, fedBody } from '../../test/support/event-body.ts'
import { frames } from '../../test/support/speech.ts'
import { steppedClock } from '../../test/support/stepped-clock.ts'
import type { StreamEvent } from './sse-decoder.ts'
import { TranscriptionStream } from './transcription-stream.ts'

const TASK = { type: 'task.created', task_id: 't-1', object: 'audio.transcription', status: 'PROCESSING', model: 'm' }
const piece = (delta: string): object => ({ type: 'transcript.text.delta', delta })
const segment = (index: number, text: string): object => ({
  type: 'transcript.segment.done',
  content_index: index,
  speaker: `S0${index + 1}`,
  text,
})
const USAGE = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }
const done = (fields: object = {}): object => ({ type: 'transcript.text.done', ...fields })

const ALL = [
  TASK,
  piece('Good '),
  piece('morning.'),
  segment(0, 'Good morning.'),
  done({ text: 'Good morning!', usage: USAGE }),
]

const open = (...events: readonly object[]): Promise<TranscriptionStream> =>
  TranscriptionStream.open(bodyOf(frames(...events)).body)

describe('interface: Transcription events', () => {
  // rules: transcription-events.task-created, transcription-events.delta, transcription-events.segment
  // rules: transcription-events.usage
  test('are typed, in order and complete', async () => {
    const { body, calls } = bodyOf(frames(...ALL))
    const stream = await TranscriptionStream.open(body)
    expect(stream).toMatchObject({ taskId: 't-1', requestId: 'req-1', complete: false, usage: undefined, segments: [] })
    expect(await listAll(stream)).toEqual(ALL)
    expect(stream).toMatchObject({ complete: true, usage: USAGE, segments: [ALL[3]] })
    expect(calls).toEqual(['release'])
  })

  test('a typed event has its fields without a cast', async () => {
    let text = ''
    for await (const event of await open(...ALL)) if (event.type === 'transcript.text.delta') text += event.delta
    expect(text).toBe('Good morning.')
  })

  // rules: transcription-events.frames, versioning.policy-open
  test('of unknown types are passed on by events() and ignored otherwise, unknown fields are kept', async () => {
    const other = { type: 'new.kind', delta: 'no text', text: 'none' }
    const rich = { ...segment(0, 'a'), start: 0.5, words: [1] }
    const events = [other, TASK, other, piece('a'), rich, other, done()]
    const passed: StreamEvent[] = await listAll((await open(...events)).events())
    expect(passed).toEqual(events)
    const stream = await open(...events)
    expect(await listAll(stream)).toEqual([TASK, piece('a'), rich, done()])
    expect(stream.segments).toEqual([rich])
    expect(await listAll((await open(...events)).deltas())).toEqual(['a'])
    expect(await (await open(...events)).text()).toBe('a')
  })

  test.each<[string, readonly object[]]>([
    ['text', [piece('a'), TASK, done()]],
    ['a segment', [segment(0, 'a'), TASK, piece('a'), done()]],
    ['an unknown event', [{ type: 'x' }, TASK, piece('a'), done()]],
  ])('may start with %s', async (_, events) => {
    const stream = await open(...events)
    expect(stream.taskId).toBeUndefined()
    expect(await stream.text()).toBe('a')
    expect(stream.taskId).toBe('t-1')
  })

  test('may be the terminal one alone', async () => {
    const stream = await open(done({ text: 'all' }))
    expect(stream.complete).toBe(false)
    expect(await listAll(stream)).toEqual([done({ text: 'all' })])
    expect(stream.complete).toBe(true)
  })

  test('after the terminal one are not read', async () => {
    const { body } = bodyOf(`${frames(piece('a'), done())}data: [no JSON\n\n${frames(piece('b'))}`)
    expect(await (await TranscriptionStream.open(body)).text()).toBe('a')
  })
})

describe('the text', () => {
  test.each<[string, readonly object[], string]>([
    // rules: transcription-events.done
    ['is that of the terminal event', ALL, 'Good morning!'],
    // rules: transcription-events.done, transcription-events.delta
    ['is the joined pieces where that carries none', [TASK, piece('a'), piece(''), piece('b'), done()], 'ab'],
    ['is the joined pieces where that carries an empty one', [piece('a'), done({ text: '' })], 'a'],
    ['is the joined pieces where that carries null', [piece('a'), done({ text: null, usage: null })], 'a'],
    ['may be empty', [TASK, done()], ''],
  ])('%s', async (_, events, text) => {
    const stream = await open(...events)
    expect(await stream.text()).toBe(text)
    expect(stream.complete).toBe(true)
    expect(stream.usage).toEqual(events === ALL ? USAGE : undefined)
  })

  test('is available after the last event or piece, repeatedly', async () => {
    const read: ((stream: TranscriptionStream) => Promise<unknown>)[] = [
      (stream) => listAll(stream),
      (stream) => listAll(stream.events()),
      (stream) => listAll(stream.deltas()),
      (stream) => stream.text(),
    ]
    for (const way of read) {
      const stream = await open(...ALL)
      await way(stream)
      expect(await stream.text()).toBe('Good morning!')
    }
  })

  test('comes in pieces that are never empty', async () => {
    expect(await listAll((await open(piece(''), ...ALL)).deltas())).toEqual(['Good ', 'morning.'])
  })

  test('comes as one piece from a service that sends it only at the end', async () => {
    expect(await listAll((await open(TASK, done({ text: 'all' }))).deltas())).toEqual(['all'])
    expect(await listAll((await open(TASK, done())).deltas())).toEqual([])
  })
})

describe('a stream can be taken once', () => {
  const ways: Readonly<Record<string, (stream: TranscriptionStream) => unknown>> = {
    iteration: (stream) => stream[Symbol.asyncIterator](),
    'events()': (stream) => stream.events(),
    'deltas()': (stream) => stream.deltas(),
    'text()': (stream) => stream.text(),
    'cancel()': (stream) => stream.cancel(),
  }

  test.each(Object.entries(ways))('after %s nothing else', async (_, take) => {
    const stream = await open(...ALL)
    void take(stream)
    for (const again of ['iteration', 'events()', 'deltas()']) expect(() => ways[again]?.(stream)).toThrow(TypeError)
    expect(await rejection(stream.text())).toBeInstanceOf(TypeError)
  })
})

describe('an early end cancels', () => {
  test.each(['events', 'deltas', Symbol.asyncIterator] as const)('%s', async (way) => {
    const { body, feed, calls } = fedBody()
    feed(frames(TASK, piece('a')))
    const stream = await TranscriptionStream.open(body)
    for await (const item of stream[way]()) {
      expect(item).toBeDefined()
      break
    }
    expect(calls).toContain('cancel')
    expect(stream.complete).toBe(false)
  })

  test.each(['events', 'deltas', Symbol.asyncIterator] as const)(
    '%s, while a read waits or before any',
    async (way) => {
      const { body, feed, calls } = fedBody()
      feed(frames(TASK, piece('a')))
      const waiting = (await TranscriptionStream.open(body))[way]()
      for (let count = way === 'deltas' ? 1 : 2; count > 0; count -= 1) await waiting.next()
      const pending = rejection(waiting.next())
      await waiting.return()
      expect(await pending).toMatchObject({ name: 'StreamTruncatedError' })
      expect(calls).toContain('cancel')
      const unread = bodyOf(frames(TASK))
      await (await TranscriptionStream.open(unread.body))[way]().return()
      expect(unread.calls).toEqual(['cancel'])
    },
  )
})

// rules: errors.stream-fields
describe('an error event throws', () => {
  test.each<[string, object, object]>([
    ['nested', { error: { code: 'c', message: 'm' } }, { code: 'c', message: 'm' }],
    ['flat', { code: 'c', message: 'm' }, { code: 'c', message: 'm' }],
    ['without anything', {}, { code: undefined }],
    ['with the key in it', { message: 'bad secret' }, { message: 'bad [API key]' }],
  ])('%s, first and later', async (_, fields, expected) => {
    const failure = { name: 'StreamFailedError', requestId: 'req-1', ...expected }
    const first = bodyOf(frames({ type: 'error', ...fields }))
    expect(await rejection(TranscriptionStream.open(first.body))).toMatchObject(failure)
    expect(first.calls).toEqual(['cancel'])
    for (const way of ['events', 'deltas', Symbol.asyncIterator] as const) {
      const later = bodyOf(frames(TASK, piece('a'), { type: 'error', ...fields }, done()))
      const stream = await TranscriptionStream.open(later.body)
      expect(await rejection(listAll<unknown>(stream[way]()))).toMatchObject(failure)
      expect(later.calls).toEqual(['cancel'])
      expect(stream.complete).toBe(false)
    }
  })
})

// rules: transcription-events.done
describe('a stream without transcript.text.done is cut', () => {
  test.each<[string, string, number]>([
    ['after nothing', '', 0],
    ['after a comment', ': hello\n\n', 0],
    ['after the task', frames(TASK), 1],
    ['after text and segments', frames(...ALL.slice(0, 4)), 4],
    ['within the terminal event', `${frames(TASK)}data: {"type":"transcript.text.do`, 1],
  ])('%s', async (_, text, events) => {
    const read = TranscriptionStream.open(bodyOf(text).body).then((stream) => stream.text())
    expect(await rejection(read)).toMatchObject({ name: 'StreamTruncatedError', events, requestId: 'req-1' })
  })

  test('but not one whose terminal event only lacks its blank line', async () => {
    const { body } = bodyOf(frames(...ALL).trimEnd())
    expect(await (await TranscriptionStream.open(body)).text()).toBe('Good morning!')
  })
})

describe('an event that is not as documented is a ProtocolError', () => {
  test.each<[string, object]>([
    ['a delta without text', { type: 'transcript.text.delta' }],
    ['a delta of a number', { type: 'transcript.text.delta', delta: 1 }],
    ['a segment without text', { type: 'transcript.segment.done', speaker: 'S01' }],
    ['a terminal text that is none', done({ text: ['a'] })],
    ['no type', { delta: 'a' }],
  ])('%s, first and later', async (_, event) => {
    const first = bodyOf(frames(event))
    expect(await rejection(TranscriptionStream.open(first.body))).toMatchObject({
      name: 'ProtocolError',
      requestId: 'req-1',
    })
    expect(first.calls).toEqual(['cancel'])
    const later = bodyOf(frames(TASK, event, done()))
    const stream = await TranscriptionStream.open(later.body)
    expect(await rejection(stream.text())).toMatchObject({ name: 'ProtocolError', requestId: 'req-1' })
    expect(later.calls).toEqual(['cancel'])
  })

  test('text beyond any possible audio is refused, because it would fill the memory', async () => {
    const { body, feed, calls } = fedBody()
    feed(frames(TASK))
    const read = rejection((await TranscriptionStream.open(body)).text())
    const half = frames(piece('x'.repeat(2 ** 25 - 1)))
    feed(half)
    feed(half)
    feed(frames(piece('')))
    expect(await read).toMatchObject({ name: 'ProtocolError' })
    expect(calls).toEqual(['cancel'])
  })
})

describe('the deadline between two events', () => {
  test('covers the first event and those that follow', async () => {
    const clock = steppedClock()
    const deadline = { clock, idleEventsTimeout: 100 }
    const opening = rejection(TranscriptionStream.open(fedBody().body, deadline))
    clock.advance(100)
    expect(await opening).toMatchObject({ phase: 'events' })
    const { body, feed } = fedBody()
    feed(frames(TASK))
    const stream = await TranscriptionStream.open(body, deadline)
    expect(clock.timers()).toBe(0)
    clock.advance(10_000)
    const failed = rejection(stream.text())
    await new Promise((resolve) => setImmediate(resolve))
    feed(': alive\n\n')
    clock.advance(100)
    expect(await failed).toMatchObject({ name: 'TimeoutError', phase: 'events' })
    expect(clock.timers()).toBe(0)
  })
})

describe('any chunking gives the same', () => {
  const text = fc.string({ unit: 'binary', maxLength: 12 })
  const event = fc.oneof(
    text.map(piece),
    fc.tuple(fc.nat({ max: 8 }), text).map(([index, words]) => segment(index, words)),
    fc.record({ type: fc.constantFrom('new.kind', 'transcript.text', 'Transcript.Text.Done'), text }),
  )

  test('events, text and segments', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { maxLength: 8 }),
        fc.option(text, { nil: undefined }),
        fc.array(fc.nat({ max: 900 }), { maxLength: 10 }),
        async (events, full, positions) => {
          const all = [TASK, ...events, done(full === undefined ? {} : { text: full })]
          const bytes = new TextEncoder().encode(frames(...all))
          const edges = [0, ...positions.filter((at) => at < bytes.length).toSorted((a, b) => a - b), bytes.length]
          const chunks = edges.slice(1).map((end, index) => bytes.slice(edges[index], end))
          const stream = await TranscriptionStream.open(bodyOf(...chunks).body)
          expect(await listAll(stream.events())).toEqual(all)
          const kept = events.filter((one) => 'content_index' in one)
          expect(stream.segments).toEqual(kept)
          const joined = events.map((one) => ('delta' in one ? String(one.delta) : '')).join('')
          expect(await stream.text()).toBe(full || joined)
        },
      ),
      { numRuns: 200 },
    )
  })
})
