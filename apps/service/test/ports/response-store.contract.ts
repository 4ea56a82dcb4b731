import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type OpenStores, START, type Stores } from './stores.ts'

/** The contract of every response store driver. */
export function describeResponseStore(name: string, open: OpenStores): void {
  let stores: Stores
  beforeEach(async () => {
    stores = await open()
  })
  afterEach(() => stores.close())

  const request = { key: 'k', fingerprint: 'f' }
  const other = { key: 'k', fingerprint: 'g' }
  const answer = { id: 'a', nested: { yes: true } }

  describe(`${name}: answers`, () => {
    test('a stored response is returned for the same request, also after the store is reopened', async () => {
      expect(await stores.answers.find('first', request)).toEqual({ outcome: 'new' })
      expect(await stores.answers.keep('first', request, answer)).toEqual({ outcome: 'new' })
      const reopened = await stores.reopen()
      expect(await reopened.answers.find('first', request)).toEqual({ outcome: 'repeated', answer })
    })

    test("the key with another request is a conflict; another tenant's key is a different key", async () => {
      await stores.answers.keep('first', request, answer)
      expect(await stores.answers.find('first', other)).toEqual({ outcome: 'conflict' })
      expect(await stores.answers.keep('first', other, { id: 'b' })).toEqual({ outcome: 'conflict' })
      expect(await stores.answers.find('second', other)).toEqual({ outcome: 'new' })
    })

    test('the first of many responses at once counts', async () => {
      const ids = Array.from({ length: 10 }, (_, n) => `a${n}`)
      const all = await Promise.all(ids.map((id) => stores.answers.keep('first', request, { id })))
      expect(all.filter(({ outcome }) => outcome === 'new')).toHaveLength(1)
      const known = await stores.answers.find('first', request)
      expect(all.filter(({ outcome }) => outcome !== 'new')).toEqual(Array.from({ length: 9 }, () => known))
    })

    test("a task's key is a conflict for another request, and returns the task for the same one", async () => {
      const order = { id: 't', tenant: 'first', kind: 'audio.speech', model: 'm', request: {} } as const
      await stores.tasks.accept({ ...order, idempotency: request })
      expect(await stores.answers.find('first', other)).toEqual({ outcome: 'conflict' })
      expect(await stores.answers.keep('first', other, answer)).toEqual({ outcome: 'conflict' })
      expect(await stores.answers.find('first', request)).toEqual({ outcome: 'repeated', answer: { task: 't' } })
      expect(await stores.answers.find('second', other)).toEqual({ outcome: 'new' })
    })

    test('an answered key creates no task', async () => {
      await stores.answers.keep('first', request, answer)
      const order = { id: 't', tenant: 'first', kind: 'audio.speech', model: 'm', request: {} } as const
      expect(await stores.tasks.accept({ ...order, idempotency: request })).toEqual({ outcome: 'conflict' })
      expect(await stores.tasks.find('first', 't')).toBeUndefined()
      expect((await stores.tasks.accept({ ...order, tenant: 'second', idempotency: other })).outcome).toBe('accepted')
    })

    test('a dropped answer leaves its key free; another request drops nothing', async () => {
      await stores.answers.keep('first', request, answer)
      await stores.answers.drop('first', other)
      expect((await stores.answers.find('first', request)).outcome).toBe('repeated')
      await stores.answers.drop('first', request)
      expect(await stores.answers.keep('first', other, answer)).toEqual({ outcome: 'new' })
    })

    test('old answers are deleted, younger ones stay', async () => {
      await stores.answers.keep('first', request, answer)
      stores.clock.now += 1000
      await stores.answers.keep('first', { ...request, key: 'young' }, answer)
      expect(await stores.answers.expire(START)).toBe(0)
      expect(await stores.answers.expire(START + 1000)).toBe(1)
      expect(await stores.answers.find('first', other)).toEqual({ outcome: 'new' })
      expect((await stores.answers.find('first', { ...request, key: 'young' })).outcome).toBe('repeated')
    })
  })
}
