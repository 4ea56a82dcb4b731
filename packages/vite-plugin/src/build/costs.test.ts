import { expect, test, vi } from 'vitest'
import { BuildCosts, type BuildCostsOptions, UNASKED_CHARACTERS } from './costs.ts'
import { CostRefusedError } from '../errors.ts'
import type { ReportRow } from './report.ts'

const row = (source: string, more: Partial<ReportRow> = {}): ReportRow => ({
  source,
  state: 'cached',
  durationSeconds: undefined,
  characters: 0,
  calls: 0,
  bytes: undefined,
  ...more,
})

const CLIENT = { name: 'client' }
const SERVER = { name: 'ssr' }

/** The costs of a build of two environments, and its lines; those about costs begin with `$`. */
function costsOf(options: BuildCostsOptions = {}): { readonly costs: BuildCosts; readonly lines: string[] } {
  const lines: string[] = []
  const costs = new BuildCosts(options)
  for (const environment of [CLIENT, SERVER]) {
    costs.begin(environment, { say: (line, isCost) => void lines.push(isCost ? `$ ${line}` : line) })
  }
  return { costs, lines }
}

test('calls that two environments need are announced once', () => {
  const { costs, lines } = costsOf({ pricePerMillion: 100 })
  costs.plan(
    new Map([
      ['a', 100],
      ['b', 200],
    ]),
    true,
  )
  costs.plan(new Map([['b', 200]]), true)
  costs.plan(
    new Map([
      ['b', 200],
      ['c', 50],
    ]),
    true,
  )
  costs.fail()
  expect(lines).toEqual([
    '$ narration: 2 calls to make, 300 characters, cost 0.0300',
    '$ narration: 1 call to make, 50 characters, cost 0.0050',
  ])
})

test('maxCharacters limits all environments together', () => {
  const { costs } = costsOf({ maxCharacters: 100 })
  costs.plan(new Map([['a', 100]]), true)
  costs.plan(new Map([['a', 100]]), true)
  expect(() => costs.plan(new Map([['b', 1]]), true)).toThrow(
    'maxCharacters is 100, and this build would send 101 characters in 2 calls',
  )
})

test('the table is printed once, after the last environment, with each call once', () => {
  const { costs, lines } = costsOf()
  costs.add([row('a.md', { state: 'new', calls: 2, characters: 8 }), row('b.md')])
  costs.end(CLIENT)
  expect(lines).toEqual([])
  costs.add([row('a.md', { state: 'part', calls: 1, characters: 4 }), row('b.md')])
  costs.end(SERVER)
  costs.end(SERVER)
  expect(lines).toEqual([
    '$ narration: 2 pages, 3 calls, 12 characters',
    '$   a.md    new     3 calls, 12 characters',
    '$   b.md    cached',
  ])
})

test('a dry run counts a text of two pages and two environments once in its total', () => {
  const { costs, lines } = costsOf()
  const pages = [
    row('a.md', { state: 'planned', calls: 2, characters: 8 }),
    row('b.md', { state: 'planned', calls: 2, characters: 10 }),
  ]
  for (const environment of [CLIENT, SERVER]) {
    costs.planDry(
      new Map([
        ['one', 4],
        ['two', 4],
        ['three', 6],
      ]),
    )
    costs.add(pages)
    costs.end(environment)
  }
  expect(lines).toEqual([
    '$ narration: 2 pages, 3 calls, 14 characters',
    '$   a.md    planned  2 calls, 8 characters',
    '$   b.md    planned  2 calls, 10 characters',
  ])
})

test('environments that a dry run builds one after the other share one table, and a later edit has its own', () => {
  const lines: string[] = []
  const costs = new BuildCosts({ mode: 'dry-run' })
  const run = (environment: object, characters: number): void => {
    costs.begin(environment, { say: (line, isCost) => void lines.push(isCost ? `$ ${line}` : line) })
    if (characters > 0) costs.planDry(new Map([['one', characters]]))
    const planned = { state: 'planned', calls: 1, characters } as const
    costs.add([row('a.md', characters > 0 ? planned : {})])
    costs.end(environment)
  }
  for (const environment of [CLIENT, SERVER]) run(environment, 4)
  expect(lines).toEqual(['$ narration: 1 page, 1 call, 4 characters', '$   a.md    planned  1 call, 4 characters'])
  lines.length = 0
  run(CLIENT, 9)
  expect(lines).toHaveLength(2)
  lines.length = 0
  // With all audio in the cache, the total and the table are printed too.
  for (const environment of [CLIENT, SERVER]) run(environment, 0)
  expect(lines).toEqual(['$ narration: 1 page, 0 calls, 0 characters', '$   a.md    cached'])
})

test('a service of this machine needs no maxCharacters', () => {
  const { costs, lines } = costsOf({ service: 'local' })
  costs.plan(new Map([['a', UNASKED_CHARACTERS + 1]]), true)
  costs.fail()
  expect(lines).toHaveLength(1)
})

test('calls that were repeated are told with what went wrong, once', () => {
  const { costs, lines } = costsOf()
  const faults = ['ConnectionError', 'ApiError internal_error', 'ConnectionError', 'TimeoutError headers', 'ApiError']
  for (const fault of faults) costs.repeated(fault)
  costs.end(CLIENT)
  costs.end(SERVER)
  costs.end(SERVER)
  expect(lines).toEqual([
    '$ narration: 5 calls were repeated: 2 after a broken connection, 1 after internal_error of the service, ' +
      '1 without an answer, 1 after an error of the service',
  ])
})

test('a build without calls lists its pages as information, and a later build does not repeat them', () => {
  const { costs, lines } = costsOf()
  costs.add([row('a.md')])
  costs.end(CLIENT)
  costs.end(SERVER)
  expect(lines).toEqual(['narration: 1 page, 0 calls, 0 characters', '  a.md    cached'])
  costs.begin(CLIENT, { say: (line) => void lines.push(line) })
  costs.add([row('a.md')])
  costs.end(CLIENT)
  expect(lines).toHaveLength(2)
})

test('a build that fails prints the calls that are paid for, and no table', () => {
  const { costs, lines } = costsOf()
  costs.plan(
    new Map([
      ['a', 100],
      ['b', 200],
    ]),
    true,
  )
  costs.done(100)
  costs.add([row('a.md', { state: 'new', calls: 1, characters: 100 })])
  costs.fail()
  costs.end(CLIENT)
  costs.end(SERVER)
  expect(lines.slice(1)).toEqual([
    '$ narration: stopped after 1 of 2 calls, 100 of 300 characters. The cache has their audio',
  ])
})

test('a large build without maxCharacters is refused with its size, its price and the option', () => {
  const { costs, lines } = costsOf({ pricePerMillion: 15 })
  const pages = new Map([
    ['a', UNASKED_CHARACTERS],
    ['b', 1],
  ])
  expect(() => costs.plan(pages, true)).toThrow(CostRefusedError)
  expect(() => costs.plan(pages, true)).toThrow(
    'maxCharacters is missing, and this build would send 50001 characters in 2 calls, cost 0.7500: ' +
      'a build over 50,000 characters needs narration({ maxCharacters })',
  )
  expect(lines).toEqual([])
})

test.each([
  ['of the size that needs no limit', UNASKED_CHARACTERS, {}],
  ['with maxCharacters', UNASKED_CHARACTERS + 1, { maxCharacters: 1_000_000 }],
])('a build %s is made', (_, characters, options) => {
  const { costs, lines } = costsOf(options)
  costs.plan(new Map([['a', characters]]), true)
  costs.fail()
  expect(lines).toHaveLength(1)
})

test('a large build that makes no calls needs no maxCharacters', () => {
  const { costs, lines } = costsOf()
  costs.plan(new Map([['a', UNASKED_CHARACTERS + 1]]), false)
  expect(lines).toEqual([])
})

test('a progress line tells how long no answer has come', () => {
  vi.useFakeTimers()
  try {
    const { costs, lines } = costsOf()
    costs.plan(
      new Map([
        ['a', 4000],
        ['b', 1000],
      ]),
      true,
    )
    vi.advanceTimersByTime(30_000)
    expect(lines.at(-1)).toBe('$ narration: 0 of 2 calls, 0 of 5,000 characters. No answer for 30 s')
    costs.done(4000)
    vi.advanceTimersByTime(5000)
    expect(lines.at(-1)).toBe('$ narration: 1 of 2 calls, 4,000 of 5,000 characters')
    costs.done(1000)
    vi.advanceTimersByTime(60_000)
    expect(lines.at(-1)).toBe('$ narration: 2 of 2 calls, 5,000 of 5,000 characters')
    costs.fail()
  } finally {
    vi.useRealTimers()
  }
})

test('progress lines appear while calls are in flight', () => {
  vi.useFakeTimers()
  try {
    const { costs, lines } = costsOf()
    const calls = Array.from({ length: 12 }, (_, index) => [String(index), index === 0 ? 4000 : 1470] as const)
    costs.plan(new Map(calls), true)
    costs.done(4000)
    vi.advanceTimersByTime(10_000)
    costs.fail()
    vi.advanceTimersByTime(10_000)
    expect(lines).toEqual([
      '$ narration: 12 calls to make, 20,170 characters',
      '$ narration: 1 of 12 calls, 4,000 of 20,170 characters',
      '$ narration: 1 of 12 calls, 4,000 of 20,170 characters',
      '$ narration: stopped after 1 of 12 calls, 4,000 of 20,170 characters. The cache has their audio',
    ])
  } finally {
    vi.useRealTimers()
  }
})

test('on a terminal one line shows the progress each second, and is gone at the end', () => {
  vi.useFakeTimers()
  try {
    const lines: string[] = []
    const costs = new BuildCosts({})
    costs.begin(CLIENT, { say: (line) => void lines.push(line), paint: (line) => void lines.push(`> ${line}`) })
    costs.plan(
      new Map([
        ['a', 100],
        ['b', 50],
      ]),
      true,
    )
    vi.advanceTimersByTime(1000)
    costs.done(100)
    vi.advanceTimersByTime(1000)
    costs.done(50)
    vi.advanceTimersByTime(3000)
    lines.push('a line of Vite')
    costs.add([row('a.md', { state: 'new', calls: 2, characters: 150 })])
    costs.end(CLIENT)
    expect(lines).toEqual([
      'narration: 2 calls to make, 150 characters',
      '> narration: 0 of 2 calls, 0 of 150 characters',
      '> narration: 1 of 2 calls, 100 of 150 characters',
      '> ',
      'a line of Vite',
      '> ',
      'narration: 1 page, 2 calls, 150 characters',
      '  a.md    new  2 calls, 150 characters',
    ])
  } finally {
    vi.useRealTimers()
  }
})
