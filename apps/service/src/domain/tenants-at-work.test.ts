import { expect, test } from 'vitest'
import { FairSemaphore } from './fair-semaphore.ts'
import { TenantsAtWork } from './tenants-at-work.ts'

test('several tenants are at work while two hold slots or wait, of any semaphore', async () => {
  const { signal } = new AbortController()
  const [speech, recognition] = [new FairSemaphore(1), new FairSemaphore(1)]
  const atWork = new TenantsAtWork()
  expect(atWork.areSeveral()).toBe(false)
  atWork.watch(speech, recognition)
  const first = await speech.acquire('first', signal)
  const again = await recognition.acquire('first', signal)
  expect(atWork.areSeveral()).toBe(false)
  const waiting = recognition.acquire('second', signal)
  expect(atWork.areSeveral()).toBe(true)
  again()
  const second = await waiting
  first()
  expect(atWork.areSeveral()).toBe(false)
  second()
})
