import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  type Citation,
  findGaps,
  findUntested,
  findWrongCitations,
  type Keeper,
  readChecks,
  readCitations,
  readRules,
  readSections,
  renderRules,
  type Rule,
  summarize,
} from './rules.ts'

const rule = (id: string, keeper: Keeper = 'client', text = 'A `field` is there.', section = 'Part'): Rule => ({
  id,
  section,
  rule: text,
  keeper,
})
const cite = (id: string, path = 'packages/core/test/a.test.ts'): Citation => ({ id, path, line: 3 })

describe('readRules', () => {
  const json = (value: unknown): string => JSON.stringify(value)

  test('returns the content of the file', () => {
    const rules = [rule('a.b'), rule('a-b.c-2', 'both')]
    expect(readRules(json({ rules }))).toEqual(rules)
  })

  test('refuses a duplicate id', () => {
    expect(() => readRules(json({ rules: [rule('a.b'), rule('a.c'), rule('a.b')] }))).toThrow('duplicate id a.b')
  })

  test.each([
    { id: 'noGroup' },
    { id: 'Speech.pause' },
    { id: 'speech.' },
    { keeper: 'nobody' },
    { rule: '' },
    { section: 7 },
    { unknown: 'field' },
  ])('refuses an entry with %j', (change) => {
    const rules = [rule('a.b'), { ...rule('a.c'), ...change }]
    expect(() => readRules(json({ rules }))).toThrow('rules[1] is not a rule')
  })

  test.each([{}, [], null, { rules: {} }])('refuses %j', (value) => {
    expect(() => readRules(json(value))).toThrow('rules must be an array')
  })
})

describe('readSections', () => {
  test('returns each heading with text, and the names in its tables', () => {
    const markdown = [
      '# All',
      '',
      '## Group',
      '### One `a`',
      'Text.',
      '',
      '| Field | Type |',
      '|---|---|',
      '| id | string |',
      '| data[].id | string |',
      '| `task.created` | no |',
      '| X-Rate | 1 |',
      '| (result fields) | any |',
      '| two words | any |',
      '### Two',
      'Text.',
    ]
    expect(readSections(markdown.join('\n'))).toEqual([
      { heading: 'One `a`', names: ['id', 'data[].id', 'task.created', 'X-Rate'] },
      { heading: 'Two', names: [] },
    ])
  })
})

describe('readCitations', () => {
  const read = (...lines: readonly string[]) => readCitations('packages/core/a.test.ts', lines.join('\n'))

  test.each([
    "test('a', () => {})",
    "  describe.each(cases)('%s', () => {",
    "  it('does')",
    "  ['a case', 1],",
    '  { a: case },',
    "  'a case',",
    '  ...cases,',
  ])('finds the ids above %j', (below) => {
    expect(read('', '  // rules: a.b, c.d', '  // the reason', below)).toEqual({
      citations: [
        { id: 'a.b', path: 'packages/core/a.test.ts', line: 2 },
        { id: 'c.d', path: 'packages/core/a.test.ts', line: 2 },
      ],
      faults: [],
    })
  })

  test('reads several lines above one test', () => {
    const { citations } = read('// rules: a.b', '// rules: c.d', "test('x', () => {})")
    expect(citations.map(({ id }) => id)).toEqual(['a.b', 'c.d'])
  })

  test.each([
    ['no test directly below', ['// rules: a.b', 'const a = 1']],
    ['no test directly below', ['// rules: a.b', '', "test('x', () => {})"]],
    ['no test directly below', ['// rules: a.b']],
    ['does not run', ['// rules: a.b', "test.skip('x', () => {})"]],
    ['does not run', ['// rules: a.b', "describe.todo('x')"]],
    ['a separate line', ["test('x', () => {}) // rules: a.b"]],
  ])('reports a citation with the fault %s: %j', (fault, lines) => {
    expect(read(...lines)).toEqual({ citations: [], faults: [expect.stringContaining(fault)] })
    expect(read(...lines).faults[0]).toMatch(/^packages\/core\/a\.test\.ts:1: /)
  })
})

describe('readChecks', () => {
  const path = 'apps/conformance/src/checks/a.ts'
  const ids = new Set(['a.b', 'a-b.c-2'])
  const read = (...lines: readonly string[]) => readChecks(path, lines.join('\n'), ids)

  test('finds the first argument of each check, for every maker', () => {
    expect(read("check('a.b', 'is so', run),", '...eachKind(', "  'a-b.c-2',", "  'is so',")).toEqual({
      citations: [
        { id: 'a.b', path, line: 1 },
        { id: 'a-b.c-2', path, line: 2 },
      ],
      faults: [],
    })
  })

  test.each(["unobservable('a.b', 'why')", "const words = ['a.b']", "check(rule, 'a.b', run)", "theEvent('a.c')"])(
    'finds none in %j',
    (line) => {
      expect(read(line).citations).toEqual([])
    },
  )

  test('counts checks as tests of a server', () => {
    const rules = [rule('a.b', 'service')]
    expect(findUntested(rules, read("check('a.b', 'is so', run)").citations)).toEqual([])
  })
})

describe('findUntested', () => {
  test('reports each rule of the client without a test', () => {
    const rules = [rule('a.b'), rule('a.c'), rule('a.d', 'both')]
    expect(findUntested(rules, [cite('a.c'), cite('a.d', 'apps/service/test/a.test.ts')])).toEqual([
      'a.b has no test of the client: A `field` is there.',
      'a.d has no test of the client: A `field` is there.',
    ])
  })

  test('requires a test of each side of a rule of both', () => {
    const rules = [rule('a.b', 'both'), rule('a.c', 'service')]
    expect(findUntested(rules, [cite('a.b')]).map((fault) => fault.split(':')[0])).toEqual([
      'a.b has no test of the service',
      'a.c has no test of the service',
    ])
    const tests = ['a.b', 'a.c'].map((id) => cite(id, 'apps/service/test/a.test.ts'))
    expect(findUntested(rules, [...tests, cite('a.b')])).toEqual([])
    expect(findUntested(rules, tests)).toHaveLength(1)
  })
})

describe('findWrongCitations', () => {
  test('reports a citation of an unknown id with its place', () => {
    expect(findWrongCitations([rule('a.b')], [cite('a.b'), cite('a.x')])).toEqual([
      'packages/core/test/a.test.ts:3: unknown rule a.x',
    ])
  })

  test('reports a test on the wrong side', () => {
    const rules = [rule('a.b'), rule('a.c', 'service'), rule('a.d', 'both')]
    const paths = ['apps/service/src/a.test.ts', 'apps/playground/test/a.test.ts']
    const all = ['a.b', 'a.c', 'a.d'].flatMap((id) => paths.map((path) => cite(id, path)))
    expect(findWrongCitations(rules, all)).toEqual([
      'apps/service/src/a.test.ts:3: a.b concerns the client only',
      'apps/playground/test/a.test.ts:3: a.c concerns the service only',
    ])
  })
})

describe('findGaps', () => {
  const sections = [
    { heading: 'Part', names: ['field', 'async'] },
    { heading: 'Other', names: [] },
    { heading: 'Limits', names: ['repeated'] },
  ]

  test('finds none where every section and every field has a rule', () => {
    const rules = [
      rule('a.b'),
      rule('a.c', 'both', '`async=true` makes a task.'),
      rule('a.d', 'both', 'Said.', 'Other'),
      rule('a.e', 'both', 'Said.', 'Limits'),
    ]
    expect(findGaps(rules, sections)).toEqual([])
  })

  test('reports an unknown heading, a section without a rule and a field without a rule', () => {
    const rules = [rule('a.b'), rule('a.c', 'both', 'Said.', 'Gone'), rule('a.d', 'both', 'Said.', 'Limits')]
    expect(findGaps(rules, sections)).toEqual([
      'a.c: docs/interface.md has no section “Gone”',
      'no rule of the section “Part” names `async`',
      'the section “Other” has no rule',
    ])
  })

  test('the rules name every field of the interface', () => {
    const text = (name: string): string => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8')
    const found = readSections(text('interface.md'))
    expect(found.flatMap(({ names }) => names).length).toBeGreaterThan(120)
    expect(findGaps(readRules(text('rules.json')), found)).toEqual([])
  })
})

test('the page links each rule once to each citing file, by side', () => {
  const rules = [rule('a.b', 'both', 'One | two.'), rule('a.c', 'service'), rule('b.d', 'client', 'Said.', 'Other')]
  const all = [cite('a.b', 'packages/core/src/b.test.ts'), cite('a.b'), cite('a.b'), cite('b.d')]
  const page = renderRules(rules, [...all, cite('a.b', 'apps/service/test/c.test.ts')])
  const a = '[core/test/a.test.ts](../packages/core/test/a.test.ts)'
  const b = '[core/src/b.test.ts](../packages/core/src/b.test.ts)'
  const c = '[service/test/c.test.ts](../apps/service/test/c.test.ts)'
  const head = '| Rule | Says | Client | Service |\n|---|---|---|---|\n'
  expect(page).toContain(`## Part\n\n${head}| \`a.b\` | One \\| two. | ${b}<br>${a} | ${c} |\n`)
  expect(page).toContain('| `a.c` | A `field` is there. |  |  |\n')
  expect(page.endsWith(`## Other\n\n${head}| \`b.d\` | Said. | ${a} |  |\n`)).toBe(true)
})

test('the summary counts the rules and the tested rules of each side', () => {
  const rules = [rule('a.b', 'both'), rule('a.c'), rule('a.d', 'service')]
  const all = [cite('a.b'), cite('a.b'), cite('a.b', 'apps/service/test/a.test.ts'), cite('a.x')]
  expect(summarize(rules, all)).toBe('3 rules; client: 1 of 2 have a test; service: 1 of 2 have a test')
})
