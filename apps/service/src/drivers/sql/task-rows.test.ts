import { expect, test } from 'vitest'
import { readObject } from './task-rows.ts'

test('an object is read as written', () => {
  const object = { file: 'a.wav', parts: [1, { two: null }], text: 'Ägidius 🎉' }
  expect(readObject(JSON.stringify(object))).toEqual(object)
  expect(readObject('{}')).toEqual({})
})

test('anything else is an error', () => {
  for (const column of ['null', '[]', '"text"', '1', 'true']) expect(() => readObject(column)).toThrow(TypeError)
  for (const column of ['', '{', '{"a":']) expect(() => readObject(column)).toThrow(SyntaxError)
})
