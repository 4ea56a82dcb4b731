import { describe, expect, test } from 'vitest'
import { settle } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import { InFlightKeys } from './idempotency.ts'

const request = { key: 'k', fingerprint: 'f' }
const inProgress = { status: 409, code: 'idempotency_in_progress', retryAfterSeconds: 1 }

describe('a key in flight', () => {
  test('is refused until it is released', async () => {
    const keys = new InFlightKeys()
    const giveBack = await keys.take('t', request)
    await expect(keys.take('t', request)).rejects.toMatchObject(inProgress)
    await expect(keys.check('t', request)).rejects.toMatchObject(inProgress)
    giveBack()
    await expect(keys.check('t', request)).resolves.toBeUndefined()
    await keys.take('t', request)
  })

  test('is a conflict for another request', async () => {
    const keys = new InFlightKeys()
    await keys.take('t', request)
    const conflict = { status: 409, code: 'idempotency_conflict' }
    await expect(keys.take('t', { ...request, fingerprint: 'g' })).rejects.toMatchObject(conflict)
  })

  test('does not affect another tenant or another key', async () => {
    const keys = new InFlightKeys()
    await keys.take('t', request)
    await keys.take('u', request)
    await keys.take('t', { ...request, key: 'l' })
    await expect(keys.check('u', request)).rejects.toMatchObject(inProgress)
  })

  test('is not taken by a check', async () => {
    const keys = new InFlightKeys()
    await keys.check('t', request)
    expect(await keys.take('t', request)).toBeTypeOf('function')
  })
})

describe('work in turn', () => {
  const terms = { tenant: 't', idempotency: request }

  /** Starts work that ends when the test says so. */
  function slowly(keys: InFlightKeys) {
    const begun: string[] = []
    const keep = (name: string, who: Parameters<InFlightKeys['inTurn']>[0] = terms) => {
      const { promise, resolve, reject } = Promise.withResolvers<string>()
      const kept = keys.inTurn(who, () => {
        begun.push(name)
        return promise
      })
      return { kept, end: () => resolve(name), fail: () => reject(new Error(`${name} failed`)) }
    }
    return { begun, keep }
  }

  test('with one key runs one after the other, in order', async () => {
    const { begun, keep } = slowly(new InFlightKeys())
    const [one, two, three] = [keep('one'), keep('two'), keep('three')]
    three.end()
    two.end()
    await settle()
    expect(begun).toEqual(['one'])
    one.end()
    expect(await Promise.all([one.kept, two.kept, three.kept])).toEqual(['one', 'two', 'three'])
    expect(begun).toEqual(['one', 'two', 'three'])
  })

  test('that fails does not block the next work', async () => {
    const { keep } = slowly(new InFlightKeys())
    const [one, two] = [keep('one'), keep('two')]
    one.fail()
    two.end()
    await expect(one.kept).rejects.toThrow('one failed')
    expect(await two.kept).toBe('two')
  })

  test('does not wait for other keys or tenants, or without a key', async () => {
    const { begun, keep } = slowly(new InFlightKeys())
    keep('one')
    keep('another key', { tenant: 't', idempotency: { ...request, key: 'l' } })
    keep('another tenant', { tenant: 'u', idempotency: request })
    keep('no key', { tenant: 't', idempotency: undefined })
    keep('no key again', { tenant: 't', idempotency: undefined })
    await settle()
    expect(begun.toSorted()).toEqual(['another key', 'another tenant', 'no key', 'no key again', 'one'])
  })
})
