import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rejection } from '../../test/support/clients.ts'
import { namedTasks, readCallbackBody } from './callback-body.ts'
import { utf8 } from './hmac.ts'

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
