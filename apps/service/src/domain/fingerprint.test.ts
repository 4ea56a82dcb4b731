import { expect, test } from 'vitest'
import { Fingerprint } from './fingerprint.ts'

function of(...parts: readonly (string | Uint8Array)[]): string {
  const fingerprint = new Fingerprint()
  for (const part of parts) fingerprint.add(part)
  return fingerprint.value
}

test('the same work has one fingerprint, however it is cut, and other work another', () => {
  expect(of(Uint8Array.of(1, 2, 3))).toBe(of(Uint8Array.of(1), Uint8Array.of(2, 3)))
  expect(of(Uint8Array.of(1, 2, 3))).not.toBe(of(Uint8Array.of(1, 2, 4)))
  expect(of('Hello.')).not.toBe(of('Hello!'))
})

test('work without a part is like no other', () => {
  expect(of()).not.toBe(of())
  expect(of('')).not.toBe(of(''))
})
