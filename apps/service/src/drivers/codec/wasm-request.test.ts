import { array, assert, property, string } from 'fast-check'
import { expect, test } from 'vitest'

import { encodeRequest, readRequest } from './wasm-request.ts'

function reader(bytes: Buffer): (length: number) => Buffer | undefined {
  let offset = 0
  return (length) => {
    if (offset + length > bytes.byteLength) return undefined
    offset += length
    return bytes.subarray(offset - length, offset)
  }
}

test('any arguments arrive as sent, and the bytes behind the request stay unread', () => {
  assert(
    property(array(string({ unit: 'grapheme' })), string({ unit: 'grapheme' }), (args, inputFile) => {
      const read = reader(Buffer.concat([encodeRequest({ args, inputFile }), Buffer.from('pcm')]))
      expect(readRequest(read)).toEqual({ args, inputFile })
      expect(read(3)?.toString()).toBe('pcm')
    }),
  )
})

test('an input that ends before the request gives no request', () => {
  const bytes = encodeRequest({ args: ['-version'] })
  for (let length = 0; length < bytes.byteLength; length += 1)
    expect(readRequest(reader(bytes.subarray(0, length)))).toBeUndefined()
})

test('anything other than a request is refused', () => {
  expect(() => readRequest(reader(Buffer.from('\u0002\0\0\0{}')))).toThrow(TypeError)
})
