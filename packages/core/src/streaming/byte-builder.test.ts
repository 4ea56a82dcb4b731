import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { ByteBuilder } from './base64.ts'

test('a take returns the pushed bytes and empties the builder', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.uint8Array({ maxLength: 20 }))), (rounds) => {
      const builder = new ByteBuilder()
      for (const pieces of rounds) {
        for (const piece of pieces) builder.push(piece)
        const whole = Buffer.concat(pieces)
        expect(builder.length).toBe(whole.length)
        expect(Buffer.from(builder.take())).toEqual(whole)
        expect(builder.length).toBe(0)
      }
    }),
  )
})

test('taken bytes do not change after later pushes', () => {
  const builder = new ByteBuilder()
  builder.push(Uint8Array.of(1, 2, 3))
  builder.push(Uint8Array.of(4))
  const taken = builder.take()
  builder.push(Uint8Array.of(9, 9, 9, 9))
  expect([...taken]).toEqual([1, 2, 3, 4])
})
