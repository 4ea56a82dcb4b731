import { describe, expect, test } from 'vitest'
import { check, chooseRules, type RuleResult, runChecks, serverRules, unobservable } from '../src/check.ts'
import { NotChecked, NotSupported, Violation } from '../src/expect.ts'
import { CHECKS, UNOBSERVABLE } from '../src/checks/index.ts'
import { readRequest, report, UsageError } from '../src/cli.ts'
import { Subject } from '../src/subject/subject.ts'
import { readTable, renderTable } from '../src/table.ts'

const rules = serverRules()
const subject = new Subject({ baseUrl: 'http://127.0.0.1:9', key: 'k' })

describe('the suite', () => {
  test('has a check of every rule, or a reason for none', () => {
    const known = new Set([...CHECKS, ...UNOBSERVABLE].map(({ rule }) => rule))
    expect(rules.map(({ id }) => id).filter((id) => !known.has(id))).toEqual([])
  })

  test('has no check of an unknown or unobservable rule', () => {
    const ids = new Set(rules.map(({ id }) => id))
    expect([...CHECKS, ...UNOBSERVABLE].filter(({ rule }) => !ids.has(rule))).toEqual([])
    const reasons = new Set(UNOBSERVABLE.map(({ rule }) => rule))
    expect(CHECKS.filter(({ rule }) => reasons.has(rule))).toEqual([])
  })

  test('has a distinct text for each check of a rule', () => {
    const names = CHECKS.map(({ rule, says }) => `${rule}: ${says}`)
    expect(new Set(names).size).toBe(names.length)
  })

  test('docs/conformance.md equals the output of `--table`', () => {
    expect(readTable()).toBe(renderTable(rules, CHECKS, UNOBSERVABLE))
  })
})

describe('a run', () => {
  const rule = (id: string) => ({ id, section: 'Part', rule: 'Said.', keeper: 'both' as const })
  const throwing = (id: string, error: Error) => check(id, 'is so', () => Promise.reject(error))
  const fine = (id: string) => check(id, 'is fine', () => Promise.resolve())
  const outcome = async (...checks: ReturnType<typeof fine>[]): Promise<RuleResult | undefined> => {
    const [result] = await runChecks(subject, { rules: [rule('a.b')], checks, unobservable: [] })
    return result
  }

  test.each([
    ['fail', new Violation('is not so')],
    ['fail', new TypeError('is not so')],
    ['not supported', new NotSupported('is not so')],
    ['not checked', new NotChecked('is not so')],
  ])('is %s when a check throws %o', async (expected, error) => {
    expect(await outcome(throwing('a.b', error))).toMatchObject({ outcome: expected, why: 'is not so' })
  })

  test('reports the cause of a missing response', async () => {
    const error = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') })
    expect(await outcome(throwing('a.b', error))).toMatchObject({ why: 'fetch failed: connect ECONNREFUSED' })
  })

  test('gives a rule the worst outcome of its checks', async () => {
    const checks = [fine('a.b'), throwing('a.b', new Violation('broken')), throwing('a.b', new NotChecked('later'))]
    const result = await outcome(...checks)
    expect(result).toMatchObject({ outcome: 'fail', why: 'broken' })
    expect(result?.checks.map((one) => one.outcome)).toEqual(['ok', 'fail', 'not checked'])
  })

  test('reports an unobservable rule as not checked, with the reason', async () => {
    const unseen = {
      rules: [rule('a.b'), rule('a.c')],
      checks: [],
      unobservable: [unobservable('a.b', 'nobody sees it')],
    }
    const [known, forgotten] = await runChecks(subject, unseen)
    expect(known).toMatchObject({ outcome: 'not checked', why: 'nobody sees it' })
    expect(forgotten).toMatchObject({ outcome: 'not checked', why: 'the rule has no check' })
  })

  test('skips the checks of other rules, and reports each check when it ends', async () => {
    const told: string[] = []
    const other = throwing('a.c', new Error('never asked'))
    const onCheck = (id: string): void => void told.push(id)
    await runChecks(subject, {
      rules: [rule('a.b')],
      checks: [fine('a.b'), other, fine('a.b')],
      unobservable: [],
      onCheck,
    })
    expect(told).toEqual(['a.b', 'a.b'])
  })

  test('prints a line for each rule, and the counts', () => {
    const results = [
      { rule: 'a.b', outcome: 'ok', checks: [] },
      { rule: 'a.longer-one', outcome: 'fail', why: 'two\nlines', checks: [] },
    ] as const
    const lines = report(results).split('\n')
    expect(lines[1]).toBe('a.b           ok')
    expect(lines[2]).toMatch(/^a\.longer-one {2}fail +two lines$/)
    expect(lines.at(-1)).toBe('2 rules: 1 ok, 0 not supported, 0 not checked, 1 fail')
  })
})

describe('rules are selected', () => {
  test.each([
    ['speech.pause-range', ['speech.pause-range']],
    ['versioning', ['versioning.v1', 'versioning.undated', 'versioning.dated']],
    ['/v1/files/{file_id}', ['file-retrieval.path', 'file-deletion.path', 'file-deletion.effect']],
  ])('by %s', (word, ids) => {
    expect(chooseRules(rules, word).map(({ id }) => id)).toEqual(ids)
  })

  test('an unknown word throws', () => {
    expect(() => chooseRules(rules, 'nothing-of-the-kind')).toThrow('No rule or section matches')
  })
})

describe('the command line', () => {
  test('reads the server, its key and the options of the checks', () => {
    const args = ['--', '--base-url', 'http://a', '--key', 'k', '--second-key', 's', '--only', 'a.b', '--timeout', '5']
    const request = { baseUrl: 'http://a', key: 'k', secondKey: 's', only: ['a.b'], timeout: 5000, json: false }
    expect(readRequest(args)).toMatchObject(request)
  })

  test.each([
    [['--base-url', 'http://a'], '--base-url needs --key'],
    [['--base-url', 'here', '--key', 'k'], '--base-url must be a URL'],
    [['--timeout', '0'], '--timeout must be an integer'],
    [['--at-once', 'all'], '--at-once must be an integer'],
    [['--colour'], '--colour'],
  ])('refuses %j', (args, message) => {
    expect(() => readRequest(args)).toThrow(UsageError)
    expect(() => readRequest(args)).toThrow(message)
  })
})

test('a base URL may end with a slash or /v1', async () => {
  for (const baseUrl of [
    'http://127.0.0.1:9',
    'http://127.0.0.1:9/',
    'http://127.0.0.1:9/v1',
    'http://127.0.0.1:9/v1/',
  ]) {
    const api = new Subject({ baseUrl, key: 'k' }).api
    await expect(api.send('GET', '/v1/models')).rejects.toThrow('fetch failed')
  }
})
