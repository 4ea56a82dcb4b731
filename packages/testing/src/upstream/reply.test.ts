import { describe, expect, test } from 'vitest'
import { chunksOf, headersOf } from './reply.ts'

async function chunks(reply: Parameters<typeof chunksOf>[0]): Promise<string[]> {
  const texts: string[] = []
  for await (const chunk of chunksOf(reply)) texts.push(Buffer.from(chunk).toString())
  return texts
}

describe('the headers of a reply', () => {
  test('have the length of a body in one piece, in bytes', () => {
    expect(headersOf({ body: 'Größe' })).toEqual({ 'content-length': '7' })
    expect(headersOf({ body: new Uint8Array(3) })).toEqual({ 'content-length': '3' })
    expect(headersOf({})).toEqual({ 'content-length': '0' })
  })

  test('have no length for a body in pieces', () => {
    expect(headersOf({ body: [new Uint8Array(3)] })).toEqual({})
  })

  test('of the test replace the length, in any case', () => {
    expect(headersOf({ body: 'abc', headers: { 'Content-Length': '9', 'X-Trace': '1' } })).toEqual({
      'content-length': '9',
      'x-trace': '1',
    })
  })
})

test('a body of any kind becomes pieces', async () => {
  const pieces = ['a', 'b'].map((text) => Buffer.from(text))
  async function* later(): AsyncGenerator<Uint8Array> {
    yield* pieces
  }
  expect(await chunks({ body: 'text' })).toEqual(['text'])
  expect(await chunks({ body: Buffer.from('bytes') })).toEqual(['bytes'])
  expect(await chunks({ body: pieces })).toEqual(['a', 'b'])
  expect(await chunks({ body: later() })).toEqual(['a', 'b'])
  expect(await chunks({})).toEqual([''])
})
