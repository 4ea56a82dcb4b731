import { EngineFailedError, EngineRefusedError } from '@svc-audio/engine-ports'
import { ManualClock } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { Trust } from './trust.ts'

const failure = new EngineFailedError('broken')

let clock: ManualClock
let logged: string[]
let trust: Trust
beforeEach(() => {
  clock = new ManualClock()
  logged = []
  const log = (_details: object, message: string): void => void logged.push(message)
  trust = new Trust({ label: 'far recognition', clock, log: { warn: log, info: log } })
})

/** Does a piece of work that fails, or works. */
const work = (of: string, error?: unknown): void => trust.begin()(of, error)
const fail = (...all: readonly string[]): void => all.forEach((of) => work(of, failure))

describe('an engine that fails at real work', () => {
  test('is the last choice after three different pieces in a row', () => {
    fail('a', 'b')
    expect(trust.isDoubted).toBe(false)
    fail('c')
    expect(trust.isDoubted).toBe(true)
    expect(logged).toEqual([
      'the far recognition engine passes its probes and fails at real work: other engines go first for 30 s',
    ])
  })

  test('at one piece again and again keeps its place', () => {
    fail('a', 'a', 'a', 'a', 'b', 'b')
    expect(trust.isDoubted).toBe(false)
  })

  test('now and then keeps its place', () => {
    fail('a', 'b')
    work('c')
    fail('d', 'e')
    expect(trust.isDoubted).toBe(false)
  })

  test('because of a language, an abort or a source of the caller keeps its place', () => {
    for (const of of ['a', 'b', 'c']) {
      work(of, new EngineRefusedError('no', { engine: 'far', param: 'language' }))
      work(of, new DOMException('left', 'AbortError'))
      work(of, new Error('the file is broken'))
    }
    expect(trust.isDoubted).toBe(false)
  })
})

describe('an engine that is the last choice', () => {
  test('is tried by one piece of work after a time that doubles, up to 15 minutes', async () => {
    fail('a', 'b', 'c')
    for (const seconds of [30, 60, 120, 240, 480, 900, 900]) {
      await clock.pass(seconds * 1000 - 1)
      expect(trust.isDoubted).toBe(true)
      await clock.pass(1)
      expect(trust.isDoubted).toBe(false)
      const end = trust.begin()
      // Other work goes elsewhere in the meantime.
      expect(trust.isDoubted).toBe(true)
      end('d', failure)
      expect(trust.isDoubted).toBe(true)
    }
  })

  test('has its place back once it has worked, and loses it at the next failure until it has worked three times', async () => {
    fail('a', 'b', 'c')
    await clock.pass(30_000)
    work('d')
    expect(trust.isDoubted).toBe(false)
    fail('e')
    expect(trust.isDoubted).toBe(true)
    await clock.pass(59_999)
    expect(trust.isDoubted).toBe(true)
    await clock.pass(1)
    for (const of of ['f', 'g', 'h']) work(of)
    fail('i', 'j')
    expect(trust.isDoubted).toBe(false)
    fail('k')
    expect(logged.at(-1)).toContain('for 30 s')
  })

  test('is tried again when its trial has told nothing', async () => {
    fail('a', 'b', 'c')
    await clock.pass(30_000)
    work('d', new DOMException('left', 'AbortError'))
    expect(trust.isDoubted).toBe(false)
  })

  test('and still works, because nothing else is there, loses no more for a failure', async () => {
    fail('a', 'b', 'c', 'd', 'e')
    await clock.pass(30_000)
    expect([trust.isDoubted, logged.length]).toEqual([false, 1])
  })
})
