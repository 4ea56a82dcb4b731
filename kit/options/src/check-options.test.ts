import { parseArgs } from 'node:util'
import { describe, expect, test } from 'vitest'
import {
  callback,
  clientWith,
  describeFault,
  fields,
  findOptionFault,
  flag,
  integer,
  list,
  methods,
  milliseconds,
  commandLineFault,
  nearestName,
  nearHint,
  oneOf,
  optional,
  positive,
  secret,
  text,
  texts,
  unknownName,
} from './index.ts'

const RULES = {
  maxFileSize: integer(1, 'bytes'),
  timeout: optional(milliseconds),
  apiKey: optional(text),
  drain: optional(fields({ timeout: optional(milliseconds), deep: optional(fields({ on: flag })) })),
}
const message = (options: unknown, owner?: string) => findOptionFault(options, RULES, owner)?.message

describe('options', () => {
  test('valid options have no fault', () => {
    expect(message({ maxFileSize: 1, timeout: 5, drain: { timeout: 1, deep: { on: true } } })).toBeUndefined()
  })

  test('that are not an object are a fault without an option', () => {
    for (const options of [undefined, null, [], 'x', 3]) {
      expect(findOptionFault(options, RULES)).toMatchObject({ option: undefined })
    }
    expect(message(undefined, 'receiveUpload()')).toBe('receiveUpload(): the options must be an object, got undefined')
  })

  test('with a near name get a hint', () => {
    expect(message({ maxFileSize: 1, timeuot: 5 })).toBe('Unknown option `timeuot`; did you mean `timeout`?')
    expect(message({ maxFileSize: 1, api_key: 'k' })).toBe('Unknown option `api_key`; did you mean `apiKey`?')
  })

  test('with a name that is far from all get the list', () => {
    expect(message({ dest: '/tmp' })).toBe('Unknown option `dest`: use `maxFileSize`, `timeout`, `apiKey`, `drain`')
  })

  test('with a name of Object.prototype are unknown', () => {
    expect(findOptionFault({ maxFileSize: 1, constructor: 1 }, RULES)?.option).toBe('constructor')
  })

  test('with a wrong value get its name, its requirement and the value', () => {
    expect(message({ maxFileSize: Number.NaN }, 'receiveUpload()')).toBe(
      'receiveUpload(): `maxFileSize` must be a positive integer of bytes, got NaN',
    )
  })

  test('that are required and absent are a fault', () => {
    expect(message({})).toBe('`maxFileSize` must be a positive integer of bytes, got undefined')
  })

  test('with a wrong field get the path of the field', () => {
    expect(message({ maxFileSize: 1, drain: { timeout: -1 } })).toMatch(/^`drain\.timeout` must be .*, got -1$/)
    expect(message({ maxFileSize: 1, drain: { deep: { on: 1 } } })).toBe('`drain.deep.on` must be true or false, got 1')
    expect(message({ maxFileSize: 1, drain: { timeuot: 1 } })).toBe(
      '`drain`: Unknown field `timeuot`; did you mean `timeout`?',
    )
  })

  test('with one of few values wrong show it, unless it is long', () => {
    const rules = { mode: oneOf(['auto', 'dry-run']) }
    expect(findOptionFault({ mode: 'dryrun' }, rules)?.message).toBe("`mode` must be 'auto' or 'dry-run', got 'dryrun'")
    expect(findOptionFault({ mode: 'x'.repeat(21) }, rules)?.message).toMatch(/, got a string$/)
  })

  test.each([
    ['voice', 'voice_id'],
    ['format', 'response_format'],
    ['lang', 'language'],
    ['key', 'apiKey'],
    ['voicse', 'voices'],
    ['max', undefined],
  ])('with the name %s probably mean %s', (given, meant) => {
    const names = ['voice_id', 'voices', 'response_format', 'language', 'apiKey', 'maxBytes', 'maxFiles']
    expect(nearestName(given, names)).toBe(meant)
  })

  test('that are secret are never repeated, also as numbers', () => {
    expect(findOptionFault({ key: 12_345 }, { key: secret })?.message).toBe('`key` must be a non-empty string')
    expect(findOptionFault({ key: 'k' }, { key: secret })).toBeUndefined()
  })

  test('never repeat a string, which may be a secret', () => {
    expect(message({ maxFileSize: 'sk-secret' })).not.toContain('sk-secret')
    expect(message({ maxFileSize: { key: 'sk-secret' } })).not.toContain('sk-secret')
  })
})

describe('rules', () => {
  test.each([
    ['an integer', integer(0), [0, 7], [-1, 1.5, Number.NaN, Infinity, '1', undefined]],
    ['an integer of a range', integer(1, undefined, 32), [1, 32], [0, 33, 1.5]],
    ['a positive number', positive('seconds'), [0.1, 7], [0, -1, Number.NaN, Infinity, '1']],
    ['milliseconds', milliseconds, [0.5, 2 ** 31 - 1], [0, -1, 2 ** 31, Infinity, Number.NaN]],
    ['a text', text, ['a'], ['', '  ', 1, undefined]],
    ['texts', texts, [[], ['a']], ['a', [1], undefined]],
    ['one of three texts', oneOf(['a', 'b', 'c']), ['c'], ['d']],
    ['one of two texts', oneOf(['a', 'b']), ['a', 'b'], ['c', undefined, ['a']]],
    ['a flag', flag, [true, false], [0, 'true', undefined]],
    ['a function', callback, [() => 1], [undefined, {}]],
    ['a number without a unit', positive(), [0.1], [0, 'x']],
    ['a list', list(text, 'names'), [['a']], [[], 'a', [''], ['a', 1]]],
    ['a list that may be empty', list(text, 'names', 0), [[], ['a']], ['a', ['']]],
    ['a client', clientWith('speech', 'tasks'), [{ speech: {}, tasks: {} }], [{ speech: {} }, undefined, []]],
    ['methods', methods('put', 'open'), [{ put() {}, open() {} }], [{ put() {} }, undefined, null, []]],
  ])('%s', (_, rule, valid, invalid) => {
    for (const value of valid) expect(rule(value)).toBeUndefined()
    for (const value of invalid) expect(describeFault('option', rule, value)).toMatch(/^`option(\[\d\])?` must be /)
  })

  test('a wrong entry of a list gets its index, and its field', () => {
    const rules = { voices: list(fields({ name: text }), 'voices') }
    expect(findOptionFault({ voices: [{ name: 'a' }, { name: '' }] }, rules)?.message).toBe(
      '`voices[1].name` must be a non-empty string, got an empty string',
    )
    expect(findOptionFault({ voices: [{ nam: 'a' }] }, rules)?.message).toBe(
      '`voices[0]`: Unknown field `nam`; did you mean `name`?',
    )
  })

  test('a fault of one value names the value', () => {
    expect(describeFault('port', integer(1), 0)).toBe('`port` must be a positive integer, got 0')
    expect(describeFault('port', integer(1), 1)).toBeUndefined()
  })
})

describe('names', () => {
  test('are near with a third of their letters wrong, and not with more', () => {
    expect(nearestName('timeuot', ['timeout', 'tee'])).toBe('timeout')
    expect(nearestName('xyz', ['timeout', 'tee'])).toBeUndefined()
    expect(nearestName('x', [])).toBeUndefined()
    expect(nearestName('a', ['b'])).toBeUndefined()
    expect(commandLineFault(parseFault(['--timeuot']), ['timeout'])).toBe(
      'Unknown option --timeuot; did you mean --timeout?',
    )
    expect(commandLineFault(parseFault(['--timeout']), ['timeout'])).toBe('--timeout needs a value, as --timeout=…')
    expect(nearHint('timeuot', ['timeout', 'tee'])).toBe('; did you mean timeout?')
    expect(nearHint('xyz', ['timeout', 'tee'])).toBe('')
  })

  test('of other things than options say so', () => {
    expect(unknownName('--porrt', ['--port', '--host'])).toBe('Unknown option `--porrt`; did you mean `--port`?')
    expect(unknownName('serv', ['serve'], 'command')).toBe('Unknown command `serv`; did you mean `serve`?')
  })
})

function parseFault(args: string[]): unknown {
  try {
    return parseArgs({ args, options: { timeout: { type: 'string' } } })
  } catch (error) {
    return error
  }
}
