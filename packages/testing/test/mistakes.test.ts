import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  comments,
  createTestUpstream,
  cut,
  dropConnection,
  events,
  json,
  slowReader,
  stall,
  status,
  type TestUpstream,
} from '../src/index.ts'

let upstream: TestUpstream
beforeEach(async () => {
  upstream = await createTestUpstream()
})
afterEach(() => upstream.reset().close())

/** A value of any type, as a test in JavaScript passes it. */
const loose = (value: unknown): never => value as never

describe('a misspelt name is an error with a hint', () => {
  test.each([
    [
      'an option',
      () => createTestUpstream(loose({ pols: 1 })),
      'createTestUpstream(): Unknown option `pols`; did you mean `polls`?',
    ],
    [
      'a wrong value',
      () => createTestUpstream({ chunkBytes: 0 }),
      '`chunkBytes` must be a positive integer of bytes, got 0',
    ],
  ])('%s of the upstream', async (_, start, message) => {
    await expect(start()).rejects.toThrow(message)
  })

  test.each<[string, () => unknown, string]>([
    [
      'an endpoint of on()',
      () => upstream.on(loose('POST /v1/audio/speach'), json({})),
      'on(): Unknown endpoint `POST /v1/audio/speach`; did you mean `POST /v1/audio/speech`?',
    ],
    ['an endpoint of next()', () => upstream.next(loose('GET /v1/model'), json({})), 'did you mean `GET /v1/models`?'],
    ['a field of a response', () => upstream.on('*', loose({ stauts: 500 })), 'did you mean `status`?'],
    ['a plan of a task', () => upstream.nextTask(loose({ poll: 3 })), 'did you mean `polls`?'],
    [
      'an option of status()',
      () => status(503, loose({ header: {} })),
      'status(): Unknown option `header`; did you mean `headers`?',
    ],
    ['a field of an error', () => status(503, { error: loose({ mesage: 'x' }) }), 'did you mean `message`?'],
    ['an option of json()', () => json({}, loose({ staus: 500 })), 'did you mean `status`?'],
    ['an option of events()', () => events([], loose({ header: {} })), 'did you mean `headers`?'],
    ['an option of cut()', () => cut(loose({ afterByte: 1 })), 'did you mean `afterBytes`?'],
    ['an option of stall()', () => stall(loose({ after: 1 })), 'stall(): Unknown option `after`'],
    ['an option of slowReader()', () => slowReader(loose({ bytesPerTurns: 1 })), 'did you mean `bytesPerTurn`?'],
    ['an option of comments()', () => comments(loose({ evry: 1 })), 'did you mean `every`?'],
    ['an option of dropConnection()', () => dropConnection(loose({ resets: true })), 'did you mean `reset`?'],
  ])('%s', (_, make, message) => {
    expect(make).toThrow(message)
  })

  test('an endpoint of waitForRequest()', async () => {
    await expect(upstream.waitForRequest(loose('GET /v1/file'))).rejects.toThrow('did you mean `GET /v1/files`?')
  })
})

describe('close() reports scripted responses that no request used', () => {
  test('of next(), and plans of tasks, by endpoint and number', async () => {
    upstream.next('POST /v1/audio/speech', status(500), status(503)).nextTask({ polls: 1 })
    await expect(upstream.close()).rejects.toMatchObject({
      name: 'UnusedResponsesError',
      unused: ["2 of next('POST /v1/audio/speech')", '1 of nextTask()'],
    })
    await expect(upstream.close()).resolves.toBeUndefined()
  })

  test('after it has closed the server', async () => {
    upstream.next('GET /v1/models', status(500))
    await expect(upstream.close()).rejects.toThrow('No request used these scripted responses')
    await expect(fetch(upstream.url)).rejects.toThrow('fetch failed')
  })

  test('and not those that were used or cleared by reset(), nor rules of on()', async () => {
    upstream.on('*', status(404)).next('GET /v1/models', status(500))
    const headers = { authorization: `Bearer ${upstream.apiKey}` }
    await fetch(`${upstream.url}/v1/models`, { headers })
    await fetch(`${upstream.url}/v1/models`, { headers })
    upstream.next('GET /v1/models', status(500)).reset().on('GET /v1/files', status(500))
    await expect(upstream.close()).resolves.toBeUndefined()
  })
})
