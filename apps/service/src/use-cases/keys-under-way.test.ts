import { describe, expect, test } from 'vitest'
import { KeysUnderWay } from './keys-under-way.ts'

const request = { key: 'k', fingerprint: 'f' }
const inProgress = { status: 409, code: 'idempotency_in_progress', retryAfterSeconds: 1 }

describe('a key that is under way', () => {
  test('is refused until it is given back', () => {
    const keys = new KeysUnderWay()
    const giveBack = keys.take('t', request)
    expect(() => keys.take('t', request)).toThrow(expect.objectContaining(inProgress))
    expect(() => keys.check('t', request)).toThrow(expect.objectContaining(inProgress))
    giveBack()
    expect(() => keys.check('t', request)).not.toThrow()
    keys.take('t', request)
  })

  test('is a conflict for another request', () => {
    const keys = new KeysUnderWay()
    keys.take('t', request)
    const conflict = { status: 409, code: 'idempotency_conflict' }
    expect(() => keys.take('t', { ...request, fingerprint: 'g' })).toThrow(expect.objectContaining(conflict))
  })

  test('is another tenant’s own, and another key is free', () => {
    const keys = new KeysUnderWay()
    keys.take('t', request)
    keys.take('u', request)
    keys.take('t', { ...request, key: 'l' })
    expect(() => keys.check('u', request)).toThrow(expect.objectContaining(inProgress))
  })

  test('is only looked at by a check', () => {
    const keys = new KeysUnderWay()
    keys.check('t', request)
    expect(keys.take('t', request)).toBeTypeOf('function')
  })
})
