import { expect, test } from 'vitest'
import { redactor } from './redact.ts'

test('every occurrence of the key goes, whatever characters it has', () => {
  expect(redactor('k$&.*(1)key')('key k$&.*(1)key or k$&.*(1)key')).toBe('key [API key] or [API key]')
})

test('a key too short to be a secret does not spoil messages', () => {
  expect(redactor('dev')('device not found')).toBe('device not found')
})
