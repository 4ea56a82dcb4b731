import { expect, test } from 'vitest'
import { collect, rejection } from '../../test/support/clients.ts'
import { cancellable } from '../transport/request-scope.ts'
import { SentBody } from './sent-body.ts'

const CHUNK = Uint8Array.of(1, 2)

/** Two chunks, and whether they were left. */
function source(): { chunks: AsyncGenerator<Uint8Array, void, undefined>; log: string[] } {
  const log: string[] = []
  async function* chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      log.push('begun')
      yield CHUNK
      yield CHUNK
      log.push('ended')
    } finally {
      log.push('closed')
    }
  }
  return { chunks: chunks(), log }
}

test('gives the very chunks, to the end', async () => {
  const { chunks, log } = source()
  const body = new SentBody(chunks)
  const given: Uint8Array[] = []
  for await (const chunk of body) given.push(chunk)
  expect(given[0]).toBe(CHUNK)
  expect(given).toHaveLength(2)
  body.leave()
  expect(log).toEqual(['begun', 'ended', 'closed'])
})

test('opens the source at the first read, and never if it is closed before', async () => {
  const { chunks, log } = source()
  const body = new SentBody(chunks)
  body.leave()
  expect(await rejection(collect(body))).toMatchObject({ message: 'The body was left before its end' })
  expect(log).toEqual([])
})

test('after a close in the middle, further reads fail: an end would look like the end of the body', async () => {
  const { chunks, log } = source()
  const body = new SentBody(chunks)
  await body.next()
  body.leave()
  expect(await rejection(body.next())).toBeInstanceOf(Error)
  expect(log).toEqual(['begun', 'closed'])
})

test('closed while the source is silent, it fails at once and closes the source', async () => {
  const silence = Promise.withResolvers<void>()
  async function* silent(): AsyncGenerator<Uint8Array, void, undefined> {
    await silence.promise
    yield CHUNK
  }
  const body = new SentBody(cancellable(silent(), () => silence.resolve()))
  const pending = rejection(body.next())
  body.leave()
  expect(await pending).toBeInstanceOf(Error)
})

test('a loop that stops closes the source, and a source without a working close causes no error', async () => {
  const { chunks, log } = source()
  for await (const chunk of new SentBody(chunks)) if (chunk === CHUNK) break
  expect(log).toEqual(['begun', 'closed'])
  const bare = (more: object): AsyncIterable<Uint8Array> => ({
    [Symbol.asyncIterator]: () => ({ next: async () => ({ done: false, value: CHUNK }), ...more }),
  })
  new SentBody(bare({})).leave()
  new SentBody(bare({ return: () => Promise.reject(new Error('no')) })).leave()
  // An error that nobody handles would fail this test run.
  await new Promise((resolve) => setTimeout(resolve, 5))
})

test('an error of the source is passed on', async () => {
  const mine = new Error('torn')
  async function* torn(): AsyncGenerator<Uint8Array, void, undefined> {
    yield CHUNK
    throw mine
  }
  expect(await rejection(collect(new SentBody(torn())))).toBe(mine)
})
