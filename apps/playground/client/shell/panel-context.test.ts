import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { addStop, listenForEscape, stopAll } from './panel-context.ts'

interface Key {
  readonly key: string
  readonly preventDefault: () => void
}

let press: (key: string) => boolean
let dialog: object | null

beforeEach(() => {
  dialog = null
  vi.stubGlobal('document', { querySelector: (selector: string) => (selector === 'dialog[open]' ? dialog : null) })
  vi.stubGlobal('addEventListener', (_name: string, listener: (event: Key) => void) => {
    press = (key) => {
      let taken = false
      listener({ key, preventDefault: () => (taken = true) })
      return taken
    }
  })
  listenForEscape()
})
afterEach(() => {
  vi.unstubAllGlobals()
})

test('Escape stops everything that runs, and is taken from the browser only then', () => {
  const [speech, recording] = [vi.fn<() => void>(), vi.fn<() => void>()]
  const ends = [addStop(speech), addStop(recording)]
  expect(press('Escape')).toBe(true)
  expect([speech, recording].map((stop) => stop.mock.calls.length)).toEqual([1, 1])
  for (const end of ends) end()
  expect(press('Escape')).toBe(false)
  expect(speech).toHaveBeenCalledOnce()
})

test('another key stops nothing', () => {
  const stop = vi.fn<() => void>()
  const end = addStop(stop)
  expect(press('Enter')).toBe(false)
  expect(stop).not.toHaveBeenCalled()
  end()
})

test('a dialog in front takes Escape', () => {
  const stop = vi.fn<() => void>()
  const end = addStop(stop)
  dialog = {}
  expect(press('Escape')).toBe(false)
  expect(stop).not.toHaveBeenCalled()
  end()
})

test('a stop that removes itself leaves the others to be stopped', () => {
  const other = vi.fn<() => void>()
  const end = addStop(() => end())
  const endOther = addStop(other)
  expect(stopAll()).toBe(true)
  expect(other).toHaveBeenCalledOnce()
  endOther()
  expect(stopAll()).toBe(false)
})
