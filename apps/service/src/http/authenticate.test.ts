import { expect, test } from 'vitest'
import { ManualClock } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import { FailedKeys } from './authenticate.ts'

test('after too many wrong keys of an address, only its known keys work for the rest of the minute', async () => {
  const clock = new ManualClock()
  const failed = new FailedKeys(2, clock)
  failed.succeed('here', 'known')
  failed.fail('here')
  expect(failed.waitFor('here', () => 'guess')).toBe(0)
  failed.fail('here')
  expect(failed.waitFor('here', () => 'guess')).toBe(60)
  expect(failed.waitFor('here', () => 'known')).toBe(0)
  expect(failed.waitFor('there', () => 'guess')).toBe(0)
  await clock.pass(59_500)
  expect(failed.waitFor('here', () => 'guess')).toBe(1)
  await clock.pass(500)
  expect(failed.waitFor('here', () => 'guess')).toBe(0)
  failed.fail('here')
  expect(failed.waitFor('here', () => 'guess')).toBe(0)
})

test('a key that is known from another address is not known here', () => {
  const failed = new FailedKeys(1)
  failed.succeed('there', 'known')
  failed.fail('here')
  expect(failed.waitFor('here', () => 'known')).toBeGreaterThan(0)
})
