import { expect, test } from 'vitest'
import { Outage, OUTAGE_PAUSE_MS } from './outage.ts'

/** An outage on a manual clock, with a store that a test breaks. */
function start() {
  const state = { now: 0, works: true, probes: 0 }
  const outage = new Outage()
  const probe = async () => {
    state.probes += 1
    if (!state.works) throw new Error('down')
  }
  return { state, outage, isOver: () => outage.isOver(() => state.now, probe) }
}

test('without an outage nothing is probed', async () => {
  const { state, isOver } = start()
  expect(await isOver()).toBe(true)
  expect(state.probes).toBe(0)
})

test('after an outage and its pause, one probe tells all callers that it is over', async () => {
  const { state, outage, isOver } = start()
  outage.note(0)
  expect([await isOver(), outage.lasts(0), state.probes]).toEqual([false, true, 0])
  state.now = OUTAGE_PAUSE_MS
  expect(await Promise.all([isOver(), isOver()])).toEqual([true, true])
  expect(await isOver()).toBe(true)
  expect(state.probes).toBe(1)
})

test('a failed probe is another outage', async () => {
  const { state, outage, isOver } = start()
  state.works = false
  outage.note(0)
  state.now = OUTAGE_PAUSE_MS
  expect(await isOver()).toBe(false)
  expect(outage.lasts(state.now)).toBe(true)
  expect(await isOver()).toBe(false)
  expect(state.probes).toBe(1)
  state.works = true
  state.now += OUTAGE_PAUSE_MS
  expect(await isOver()).toBe(true)
})
