import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { readStored, writeStored } from './store.ts'

let items: Map<string, string>

beforeEach(() => {
  items = new Map()
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
  })
})
afterEach(() => {
  vi.unstubAllGlobals()
})

const DRAFT = { text: 'first', speed: 1, tags: ['a'] }

test('what is written is read again, under a name of this page', () => {
  writeStored('speak', { ...DRAFT, speed: 2 })
  expect([...items.keys()]).toEqual(['svc-audio.speak'])
  expect(readStored('speak', DRAFT)).toEqual({ ...DRAFT, speed: 2 })
})

test('a name without a value gives the first draft itself', () => {
  expect(readStored('nothing', DRAFT)).toBe(DRAFT)
})

test('a draft of an older page gets the fields that it lacks', () => {
  items.set('svc-audio.speak', '{"text":"old"}')
  expect(readStored('speak', DRAFT)).toEqual({ text: 'old', speed: 1, tags: ['a'] })
})

test.each([
  ['a list', '[1]'],
  ['null', 'null'],
  ['a text', '"x"'],
  ['half of a JSON', '{"text":'],
  ['nothing', ''],
])('%s in place of a draft is ignored', (_case, stored) => {
  items.set('svc-audio.speak', stored)
  expect(readStored('speak', DRAFT)).toBe(DRAFT)
})

test.each([
  ['a number', 1, '0.5', 0.5],
  ['a number that is a text', 1, '"loud"', 1],
  ['a text', 'dark', '"light"', 'light'],
  ['a switch', true, 'false', false],
  ['a list', [1, 2], '[]', []],
  ['a list that is an object', [1], '{"0":1}', [1]],
])('%s is read as its own kind only', (_case, initial, stored, expected) => {
  items.set('svc-audio.value', stored)
  expect(readStored<unknown>('value', initial)).toEqual(expected)
})

test('an empty list stays a list, and is not mixed with the first one', () => {
  writeStored('tasks', [])
  expect(readStored('tasks', ['a'])).toEqual([])
})

test('a browser that blocks its storage works without it', () => {
  const blocked = (): never => {
    throw new DOMException('The operation is insecure', 'SecurityError')
  }
  vi.stubGlobal('localStorage', { getItem: blocked, setItem: blocked })
  expect(readStored('speak', DRAFT)).toBe(DRAFT)
  expect(() => writeStored('speak', DRAFT)).not.toThrow()
})

test('a value that JSON cannot hold is not written and does not fail', () => {
  const circular: { self?: unknown } = {}
  circular.self = circular
  expect(() => writeStored('speak', circular)).not.toThrow()
  expect(items.size).toBe(0)
})
