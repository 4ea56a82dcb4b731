import { describe, expect, test } from 'vitest'
import { rejection } from '../../test/support/clients.ts'
import { CallbackTokens, namedTasks, readCallbackBody } from './callbacks.ts'
import { utf8 } from './hmac.ts'
import * as fc from 'fast-check'

const SECRET = 'a secret for tests that is long enough'
const OTHER = 'another secret, which is long enough too'
const tokens = new CallbackTokens(SECRET)

test('a token returns its state until it expires', async () => {
  const { token, nonce } = await tokens.issue(1000, 'order 7, ünïcode 😀')
  expect(await tokens.verify(token, 999.9)).toEqual({ nonce, state: 'order 7, ünïcode 😀' })
  expect(await tokens.verify(token, 1000)).toBeUndefined()
  expect(await tokens.verify(token, 5000)).toBeUndefined()
})

test('two tokens of the same content differ, and need no escape in an address', async () => {
  const made = await Promise.all(Array.from({ length: 50 }, () => tokens.issue(1000, undefined)))
  expect(new Set(made.map(({ token }) => token)).size).toBe(50)
  expect(made.every(({ token }) => encodeURIComponent(token) === token)).toBe(true)
  expect(await tokens.verify(made[0]?.token ?? '', 0)).toEqual({ nonce: made[0]?.nonce, state: undefined })
})

test('the first of several secrets signs, and all are accepted', async () => {
  const [old, rotated, fresh] = [tokens, new CallbackTokens([OTHER, SECRET]), new CallbackTokens(OTHER)]
  const { token: before } = await old.issue(10, 'x')
  const { token: after } = await rotated.issue(10, 'x')
  expect(await rotated.verify(before, 0)).toBeDefined()
  expect(await rotated.verify(after, 0)).toBeDefined()
  expect(await fresh.verify(after, 0)).toBeDefined()
  expect(await fresh.verify(before, 0)).toBeUndefined()
  expect(await old.verify(after, 0)).toBeUndefined()
})

describe('an invalid token is refused', () => {
  test('any change of one: an added, removed or replaced character, a cut, a doubled piece', async () => {
    const change = fc.oneof(
      fc.record({ at: fc.nat(), remove: fc.integer({ min: 0, max: 3 }), insert: fc.string({ maxLength: 3 }) }),
      fc.record({
        at: fc.nat(),
        remove: fc.constant(1),
        insert: fc.constantFrom(...'ABCDwxyz0189-_.=+/ \n%'.split('')),
      }),
      fc.record({ at: fc.nat(), remove: fc.constant(1000), insert: fc.constant('') }),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.string({ maxLength: 20 }),
        fc.array(change, { minLength: 1, maxLength: 4 }),
        async (state, changes) => {
          const { token } = await tokens.issue(1000, state)
          const changed = changes.reduce((text, { at, remove, insert }) => {
            const start = at % (text.length + 1)
            return text.slice(0, start) + insert + text.slice(start + remove)
          }, token)
          fc.pre(changed !== token)
          expect(await tokens.verify(changed, 0)).toBeUndefined()
        },
      ),
      { numRuns: 1000 },
    )
  })

  test('each other last character, though some spell the same bytes', async () => {
    const { token } = await tokens.issue(1000, undefined)
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const others = alphabet
      .split('')
      .map((last) => token.slice(0, -1) + last)
      .filter((one) => one !== token)
    expect(others).toHaveLength(63)
    expect(await Promise.all(others.map((one) => tokens.verify(one, 0)))).toEqual(others.map(() => undefined))
  })

  test('the combined parts of two tokens', async () => {
    const [a, b] = await Promise.all([tokens.issue(10, 'a'), tokens.issue(99, 'b')])
    const [partsA, partsB] = [a.token.split('.'), b.token.split('.')]
    for (let index = 1; index < 5; index += 1) {
      const mixed = partsA.with(index, partsB[index] ?? '').join('.')
      expect(await tokens.verify(mixed, 0)).toBeUndefined()
    }
  })

  test.each([
    '',
    '.',
    'v1',
    'v1....',
    'v1.a.b.c.d',
    `v1.${'A'.repeat(22)}.999..${'A'.repeat(43)}`,
    'A'.repeat(100_000),
  ])('%#: anything else', async (text) => {
    expect(await tokens.verify(text, 0)).toBeUndefined()
  })
})

describe('a secret', () => {
  test.each([['short'], [''], ['x'.repeat(31)], [[]], [[SECRET, 'short']], [undefined], [[undefined]]])(
    '%j is refused, and not shown',
    (secret) => {
      const make = (): unknown => new CallbackTokens(secret as string)
      expect(make).toThrow(
        expect.objectContaining({ name: 'ConfigurationError', message: expect.not.stringMatching(/short/) }),
      )
    },
  )
})

test('a state that would make the address too long is refused', async () => {
  expect((await tokens.issue(10, '€'.repeat(256))).token.length).toBeLessThan(1200)
  const { token } = await tokens.issue(10, '€'.repeat(256))
  expect(await tokens.verify(token, 0)).toMatchObject({ state: '€'.repeat(256) })
  expect(await rejection(tokens.issue(10, 'x'.repeat(257)))).toMatchObject({ name: 'ConfigurationError' })
})

/** A request whose body comes in these pieces. */
function inPieces(pieces: readonly Uint8Array[]): Request {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })
  return new Request('https://my.app', { method: 'POST', body, duplex: 'half' })
}

describe('readCallbackBody', () => {
  test('joins the pieces of a body', async () => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(pieces, async (all) => {
        expect(Buffer.from((await readCallbackBody(inPieces(all))) ?? [])).toEqual(Buffer.concat(all))
      }),
    )
  })

  test('treats a missing body as empty', async () => {
    expect(await readCallbackBody(new Request('https://my.app', { method: 'POST' }))).toEqual(new Uint8Array(0))
  })

  test.each([
    [1_048_576, 1_048_576],
    [1_048_577, undefined],
  ])('of %i bytes reads %s', async (length, expected) => {
    const half = new Uint8Array(500_000)
    const read = await readCallbackBody(inPieces([half, half, new Uint8Array(length - 1_000_000)]))
    expect(read?.length).toBe(expected)
  })

  test('ignores an announced length that is too small', async () => {
    const request = inPieces([new Uint8Array(2_000_000)])
    const lying = new Request(request, { headers: { 'content-length': '5' } })
    expect(await readCallbackBody(lying)).toBeUndefined()
  })

  test('throws the error of the body', async () => {
    const cut = new Error('cut')
    const body = new ReadableStream({ pull: (controller) => controller.error(cut) })
    const request = new Request('https://my.app', { method: 'POST', body, duplex: 'half' })
    expect(await rejection(readCallbackBody(request))).toBe(cut)
  })
})

describe('namedTasks', () => {
  test('returns task_id before id, and only text', () => {
    expect(namedTasks(utf8('{"id":"a","task_id":"b"}'))).toEqual(['b', 'a'])
    expect(namedTasks(utf8('{"id":{"task_id":"b"},"task_id":["a"]}'))).toEqual([])
  })

  test('accepts ids of every usual kind', () => {
    const ids = [
      't-1',
      '0193f2a4-7e1c-7b2f-9c53-0a1b2c3d4e5f',
      'task_ABC.def~1',
      'a:b@c',
      'ünïcode',
      '..a',
      'x'.repeat(256),
    ]
    expect(ids.flatMap((id) => namedTasks(utf8(JSON.stringify({ id }))))).toEqual(ids)
  })

  test('refuses ids that would change the address', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 30 }),
        fc.constantFrom('/', '\\', '?', '#', '%2f', ' ', '\t', '\n'),
        (text, part) => {
          expect(namedTasks(utf8(JSON.stringify({ id: `${text}${part}${text}` })))).toEqual([])
        },
      ),
    )
    for (const id of ['', '.', '..', 'x'.repeat(257)]) expect(namedTasks(utf8(JSON.stringify({ id })))).toEqual([])
  })

  test('accepts any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (body) => {
        expect(namedTasks(body)).toEqual([])
      }),
    )
  })

  test('returns only values of the two fields', () => {
    const fields = fc.dictionary(fc.constantFrom('id', 'task_id', 'status'), fc.oneof(fc.string(), fc.jsonValue()))
    fc.assert(
      fc.property(fields, (body) => {
        for (const id of namedTasks(utf8(JSON.stringify(body)))) expect([body['id'], body['task_id']]).toContain(id)
      }),
    )
  })
})
