import { createHmac } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Bytes, decodeBase64Url, encodeBase64, encodeBase64Url, hmac, hmacKey, utf8, verifyHmac } from './hmac.ts'

const bytes = fc.uint8Array({ maxLength: 80 }).map((array): Bytes => new Uint8Array(array))
const key = fc.uint8Array({ minLength: 1, maxLength: 80 }).map((array): Bytes => new Uint8Array(array))

test('a code is an HMAC-SHA-256', async () => {
  await fc.assert(
    fc.asyncProperty(key, bytes, async (secret, message) => {
      const code = await hmac(await hmacKey(secret), message)
      expect(Buffer.from(code)).toEqual(createHmac('sha256', secret).update(message).digest())
    }),
  )
})

describe('verifyHmac', () => {
  const message = utf8('message')

  test('finds the matching pair of key and code at any position', async () => {
    const keys = await Promise.all(['a', 'b', 'c'].map((name) => hmacKey(utf8(name))))
    for (const one of keys) {
      const code = await hmac(one, message)
      expect(await verifyHmac(keys, [new Uint8Array(32), code, new Uint8Array(0)], message)).toBe(true)
      expect(await verifyHmac(keys, [code], utf8('another'))).toBe(false)
      expect(
        await verifyHmac(
          keys.filter((other) => other !== one),
          [code],
          message,
        ),
      ).toBe(false)
    }
  })

  test('accepts no part of a code, none at all, and nothing without a key', async () => {
    const one = await hmacKey(utf8('a'))
    const code = await hmac(one, message)
    expect(await verifyHmac([one], [code.slice(0, 31)], message)).toBe(false)
    expect(await verifyHmac([one], [new Uint8Array([...code, 0])], message)).toBe(false)
    expect(await verifyHmac([one], [], message)).toBe(false)
    expect(await verifyHmac([], [code], message)).toBe(false)
  })
})

describe('Base64', () => {
  test('equals that of Node', () => {
    fc.assert(
      fc.property(bytes, (array) => {
        expect(encodeBase64(array)).toBe(Buffer.from(array).toString('base64'))
        expect(encodeBase64Url(array)).toBe(Buffer.from(array).toString('base64url'))
        expect(decodeBase64Url(encodeBase64Url(array))).toEqual(array)
      }),
    )
  })

  test('for addresses has one spelling, and every other is refused', () => {
    expect(decodeBase64Url('_-8')).toEqual(Uint8Array.of(255, 239))
    for (const other of ['_-9', '/+8', '_-8=', ' _-8', '_-8\n', '_-', '_', '_-8.']) {
      expect([other, decodeBase64Url(other)]).not.toEqual([other, Uint8Array.of(255, 239)])
    }
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('A', 'b', '-', '_', '+', '/', '='), maxLength: 12 }), (text) => {
        const decoded = decodeBase64Url(text)
        expect(decoded === undefined ? text : encodeBase64Url(decoded)).toBe(text)
      }),
    )
  })
})
