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
  const response = { id: 'a', nested: { yes: true } }

  describe(`${name}: responses`, () => {
    test('a stored response is returned for the same request, also after the store is reopened', async () => {
      expect(await stores.responses.find('first', request)).toEqual({ outcome: 'new' })
      expect(await stores.responses.keep('first', request, response)).toEqual({ outcome: 'new' })
      const reopened = await stores.reopen()
      expect(await reopened.responses.find('first', request)).toEqual({ outcome: 'repeated', answer: response })
    })

    test("the key with another request is a conflict; another tenant's key is a different key", async () => {
      await stores.responses.keep('first', request, response)
      expect(await stores.responses.find('first', other)).toEqual({ outcome: 'conflict' })
      expect(await stores.responses.keep('first', other, { id: 'b' })).toEqual({ outcome: 'conflict' })
      expect(await stores.responses.find('second', other)).toEqual({ outcome: 'new' })
    })

    test('the first of many responses at once counts', async () => {
      const ids = Array.from({ length: 10 }, (_, n) => `a${n}`)
      const all = await Promise.all(ids.map((id) => stores.responses.keep('first', request, { id })))
      expect(all.filter(({ outcome }) => outcome === 'new')).toHaveLength(1)
      const known = await stores.responses.find('first', request)
      expect(all.filter(({ outcome }) => outcome !== 'new')).toEqual(Array.from({ length: 9 }, () => known))
    })

    test("a task's key is a conflict for another request, and returns the task for the same one", async () => {
      const order = { id: 't', tenant: 'first', kind: 'audio.speech', model: 'm', request: {} } as const
      await stores.tasks.accept({ ...order, idempotency: request })
      expect(await stores.responses.find('first', other)).toEqual({ outcome: 'conflict' })
      expect(await stores.responses.keep('first', other, response)).toEqual({ outcome: 'conflict' })
      expect(await stores.responses.find('first', request)).toEqual({ outcome: 'repeated', answer: { task: 't' } })
      expect(await stores.responses.find('second', other)).toEqual({ outcome: 'new' })
    })

    test('an answered key creates no task', async () => {
      await stores.responses.keep('first', request, response)
      const order = { id: 't', tenant: 'first', kind: 'audio.speech', model: 'm', request: {} } as const
      expect(await stores.tasks.accept({ ...order, idempotency: request })).toEqual({ outcome: 'conflict' })
      expect(await stores.tasks.find('first', 't')).toBeUndefined()
      expect((await stores.tasks.accept({ ...order, tenant: 'second', idempotency: other })).outcome).toBe('accepted')
    })

    test('a dropped response leaves its key free; another request drops nothing', async () => {
      await stores.responses.keep('first', request, response)
      await stores.responses.drop('first', other)
      expect((await stores.responses.find('first', request)).outcome).toBe('repeated')
      await stores.responses.drop('first', request)
      expect(await stores.responses.keep('first', other, response)).toEqual({ outcome: 'new' })
    })

    test('old responses are deleted, younger ones stay', async () => {
      await stores.responses.keep('first', request, response)
      stores.clock.now += 1000
      await stores.responses.keep('first', { ...request, key: 'young' }, response)
      expect(await stores.responses.expire({ before: START, limit: 10 })).toMatchObject({ count: 0 })
      expect(await stores.responses.expire({ before: START + 1000, limit: 10 })).toMatchObject({ count: 1 })
      expect(await stores.responses.find('first', other)).toEqual({ outcome: 'new' })
      expect((await stores.responses.find('first', { ...request, key: 'young' })).outcome).toBe('repeated')
    })
  })
}
