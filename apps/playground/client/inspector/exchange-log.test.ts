import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Exchange, ExchangeLog, UNANSWERED } from './exchange.ts'

const EXCHANGE: Omit<Exchange, 'id'> = {
  method: 'GET',
  path: '/v1/models',
  began: new Date(0),
  requestHeaders: {},
  requestBody: undefined,
  ...UNANSWERED,
}

let log: ExchangeLog
let heard: number

beforeEach(() => {
  vi.useFakeTimers()
  log = new ExchangeLog()
  heard = 0
  log.subscribe(() => (heard += 1))
})
afterEach(() => {
  vi.useRealTimers()
})

test('new requests are shown after a tenth of a second, newest first', () => {
  const [first, second] = [log.add(EXCHANGE), log.add(EXCHANGE)]
  expect([heard, log.find(first)]).toEqual([0, { ...EXCHANGE, id: first }])
  vi.advanceTimersByTime(100)
  expect(heard).toBe(1)
  expect(log.get().map(({ id }) => id)).toEqual([second, first])
})

describe('changes', () => {
  test('changes are heard ten times a second at most, and none is lost', () => {
    const id = log.add(EXCHANGE)
    for (let bytes = 1; bytes <= 500; bytes += 1) {
      log.change(id, { bytes })
      vi.advanceTimersByTime(2)
    }
    vi.advanceTimersByTime(100)
    expect(heard).toBeGreaterThan(5)
    expect(heard).toBeLessThanOrEqual(12)
    expect(log.get()[0]?.bytes).toBe(500)
  })

  test('changes can be read before they are heard', () => {
    const id = log.add(EXCHANGE)
    vi.advanceTimersByTime(100)
    log.change(id, { status: 200 })
    log.change(id, { bytes: 9 })
    expect(log.find(id)).toMatchObject({ status: 200, bytes: 9 })
    expect(log.get()[0]).toMatchObject({ bytes: 0 })
    expect(log.get()[0]?.status).toBeUndefined()
    vi.advanceTimersByTime(100)
    expect(log.get()[0]).toMatchObject({ status: 200, bytes: 9 })
  })

  test('changes of several requests come together', () => {
    const ids = [log.add(EXCHANGE), log.add(EXCHANGE)]
    heard = 0
    for (const id of ids) log.change(id, { state: 'done' })
    vi.advanceTimersByTime(100)
    expect([heard, log.get().map(({ state }) => state)]).toEqual([1, ['done', 'done']])
  })

  test('changes do not touch the list that was read before', () => {
    const id = log.add(EXCHANGE)
    vi.advanceTimersByTime(100)
    const before = log.get()
    log.change(id, { bytes: 7 })
    vi.advanceTimersByTime(100)
    expect(before[0]?.bytes).toBe(0)
    expect(log.get()).not.toBe(before)
  })

  test('changes of a request that has left the list are dropped', () => {
    const first = log.add(EXCHANGE)
    for (let count = 0; count < 30; count += 1) log.add(EXCHANGE)
    vi.advanceTimersByTime(100)
    expect(log.find(first)).toBeUndefined()
    log.change(first, { bytes: 7 })
    vi.advanceTimersByTime(100)
    expect(log.get()).toHaveLength(30)
    expect(log.get().every(({ bytes }) => bytes === 0)).toBe(true)
  })
})

test('an ended subscription is silent', () => {
  const listener = vi.fn<() => void>()
  log.subscribe(listener)()
  log.add(EXCHANGE)
  vi.advanceTimersByTime(100)
  expect(listener).not.toHaveBeenCalled()
})
