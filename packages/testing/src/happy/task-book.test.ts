import { describe, expect, test } from 'vitest'
import { type NewTask, TaskBook, type TaskBookOptions } from './task-book.ts'

const SPEECH: NewTask = { object: 'audio.speech', result: () => ({ url: 'http://127.0.0.1/1' }) }

/** A book whose ids are t1, t2 … and whose clock moves by a second at each look. */
function open(options: Partial<TaskBookOptions> = {}): TaskBook {
  let [ids, now] = [0, 100]
  return new TaskBook({ polls: 2, seconds: () => (now += 1), nextId: () => `t${(ids += 1)}`, ...options })
}

/** The statuses of these many polls. */
function statuses(book: TaskBook, id: string, polls: number): (string | undefined)[] {
  return Array.from({ length: polls }, () => book.poll(id)?.status)
}

describe('the creation of a task', () => {
  test('names the task twice, with its kind and the time', () => {
    expect(open({ retryAfter: 3 }).create(SPEECH)).toEqual({
      id: 't1',
      task_id: 't1',
      object: 'audio.speech',
      status: 'PENDING',
      retry_after: 3,
      created_at: 101,
      updated_at: 101,
    })
  })

  test('names the model of a voice generation', () => {
    const creation = open().create({ ...SPEECH, object: 'audio.voice_generation', modelId: 'svc-vg' })
    expect(creation).toMatchObject({ object: 'audio.voice_generation', model_id: 'svc-vg' })
    expect(creation).not.toHaveProperty('retry_after')
  })
})

describe('the polls of a task', () => {
  test.each([
    [1, ['SUCCESS', 'SUCCESS']],
    [2, ['PROCESSING', 'SUCCESS', 'SUCCESS']],
    [3, ['PENDING', 'PROCESSING', 'SUCCESS']],
    [4, ['PENDING', 'PROCESSING', 'PROCESSING', 'SUCCESS']],
    [Infinity, ['PENDING', 'PROCESSING', 'PROCESSING']],
  ])('with %d polls pass through these states', (polls, expected) => {
    const book = open({ polls })
    const { id } = book.create(SPEECH)
    expect(statuses(book, id, expected.length)).toEqual(expected)
  })

  test('change `updated_at` only with the status', () => {
    const book = open({ polls: 4 })
    const { id, created_at } = book.create(SPEECH)
    const times = Array.from({ length: 4 }, () => book.poll(id)?.updated_at)
    expect(times).toEqual([created_at, 102, 102, 103])
    expect(book.poll(id)).toMatchObject({ created_at, updated_at: 103 })
  })

  test('carry `retry_after` until the task has ended', () => {
    const book = open({ retryAfter: 0 })
    const { id } = book.create(SPEECH)
    expect(book.poll(id)).toMatchObject({ status: 'PROCESSING', retry_after: 0 })
    expect(book.poll(id)).not.toHaveProperty('retry_after')
  })

  test('make the result again each time, because its URL may have expired', () => {
    let made = 0
    const book = open({ polls: 1 })
    const { id } = book.create({ ...SPEECH, result: () => ({ url: `http://127.0.0.1/${(made += 1)}` }) })
    expect([book.poll(id), book.poll(id)]).toMatchObject([{ url: 'http://127.0.0.1/1' }, { url: 'http://127.0.0.1/2' }])
  })

  test('of an unknown task find nothing', () => {
    expect(open().poll('t1')).toBeUndefined()
  })
})

describe('plans', () => {
  test('apply to the next tasks in order, and then no longer', () => {
    const book = open()
    book.plan({ polls: 1, result: { duration: 1 } })
    book.plan({ polls: 1, error: { code: 'engine_failed' } })
    const ids = Array.from({ length: 3 }, () => book.create(SPEECH).id)
    expect(ids.map((id) => book.poll(id))).toMatchObject([
      { status: 'SUCCESS', url: 'http://127.0.0.1/1', duration: 1 },
      { status: 'FAILED', error: { code: 'engine_failed' } },
      { status: 'PROCESSING' },
    ])
  })

  test('wait for an asynchronous task while a stream creates its task', () => {
    const book = open()
    book.plan({ polls: 1 })
    const stream = book.create({ ...SPEECH, status: 'PROCESSING' })
    const { id } = book.create(SPEECH)
    expect([stream.status, book.poll(stream.id)?.status, book.poll(id)?.status]).toEqual([
      'PROCESSING',
      'PROCESSING',
      'SUCCESS',
    ])
  })

  test('replace fields of the result', () => {
    const book = open()
    book.plan({ polls: 1, result: { url: 'https://elsewhere.test/a.wav' } })
    expect(book.poll(book.create(SPEECH).id)).toMatchObject({ url: 'https://elsewhere.test/a.wav' })
  })
})

describe('complete', () => {
  test('ends a task that waits for it, as its plan says', () => {
    const book = open({ polls: Infinity })
    book.plan({ error: 'no voice' })
    const { id } = book.create(SPEECH)
    expect(book.complete(id)).toMatchObject({ status: 'FAILED', error: 'no voice' })
  })

  test('replaces the planned end, field by field', () => {
    const book = open({ polls: Infinity })
    book.plan({ result: { duration: 1 } })
    const { id } = book.create(SPEECH)
    expect(book.complete(id, { result: { duration: 2 } })).toMatchObject({ status: 'SUCCESS', duration: 2 })
  })

  test('of an unknown task throws an error with its id', () => {
    expect(() => open().complete('t9')).toThrow('There is no task t9')
  })
})

describe('a task with a webhook', () => {
  const url = 'https://hooks.test/done'

  test('is reported once, with its final state, however often it is read or completed', () => {
    const book = open({ polls: 1 })
    const reports: unknown[] = []
    book.onDone = (...report) => reports.push(report)
    const { id } = book.create({ ...SPEECH, webhookUrl: url })
    book.poll(id)
    book.poll(id)
    book.complete(id, { error: 'too late' })
    expect(reports).toEqual([[url, expect.objectContaining({ id, status: 'SUCCESS', url: 'http://127.0.0.1/1' })]])
  })

  test('keeps its first end', () => {
    const book = open()
    const { id } = book.create({ ...SPEECH, webhookUrl: url })
    book.complete(id, { error: 'no voice' })
    expect(book.poll(id)).toMatchObject({ status: 'FAILED', error: 'no voice' })
  })

  test('is the only one that is reported', () => {
    const book = open({ polls: 1 })
    const reported: string[] = []
    book.onDone = (_, { id }) => reported.push(id)
    const ids = [book.create(SPEECH), book.create({ ...SPEECH, webhookUrl: url })].map(({ id }) => id)
    for (const id of ids) book.poll(id)
    expect(reported).toEqual(['t2'])
  })
})
