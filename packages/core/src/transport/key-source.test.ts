import { expect, test } from 'vitest'
import { KeySource } from './key-source.ts'

test('every occurrence of the key is removed, for any characters', () => {
  expect(new KeySource('k$&.*(1)key').redact('key k$&.*(1)key or k$&.*(1)key')).toBe('key [API key] or [API key]')
})

test('a short test key is not removed from messages', () => {
  expect(new KeySource('dev').redact('device not found')).toBe('device not found')
})

test('a replaced key is still removed from a late error', async () => {
  const keys = ['first-key-1', 'second-key-2']
  const source = new KeySource(() => keys.shift() ?? '')
  expect([await source.current(), await source.current()]).toEqual(['first-key-1', 'second-key-2'])
  expect(source.redact('first-key-1 second-key-2')).toBe('[API key] [API key]')
})

test('only the last keys are remembered', async () => {
  let count = 0
  const source = new KeySource(async () => `rotated-key-${count++}-`)
  for (let call = 0; call < 17; call += 1) await source.current()
  expect(source.redact('rotated-key-0- rotated-key-16-')).toBe('rotated-key-0- [API key]')
})

test.each(['', 'a b', 'a\nb', 'ä'])('a function that returns %j is refused', async (key) => {
  await expect(new KeySource(() => key).current()).rejects.toThrow(/apiKey/)
})
