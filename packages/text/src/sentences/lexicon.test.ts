import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TextOptionError } from './split-options.ts'
import { applyLexicon, createLexicon } from './lexicon.ts'

const say = (terms: Readonly<Record<string, string>>, text: string): string =>
  applyLexicon(text, createLexicon({ '*': terms })).spoken

describe('a term', () => {
  test('a term stays as written beside the spoken text', () => {
    expect(applyLexicon('Use SQL.', createLexicon({ en: { SQL: 'sequel' } }), 'en')).toEqual({
      written: 'Use SQL.',
      spoken: 'Use sequel.',
    })
  })

  test.each([
    ['SQL SQLite MySQL NoSQL_ _SQL SQL2 (SQL) SQL-ish "SQL" SQL', 'X SQLite MySQL NoSQL_ _SQL SQL2 (X) X-ish "X" X'],
    ['SQL\u0301 SQL', 'SQL\u0301 X'],
    ['使用SQL数据库', '使用X数据库'],
  ])('a term counts as a whole word: %s', (text, spoken) => {
    expect(say({ SQL: 'X' }, text)).toBe(spoken)
  })

  test('a term counts inside a text that separates no words', () => {
    expect(say({ 重庆: '虫庆', 서울: '써울' }, '我在重庆市。서울에서')).toBe('我在虫庆市。써울에서')
  })

  test('a term in lower case counts in any case, with a capital only as written', () => {
    expect(say({ nginx: 'engine x', straße: 'X' }, 'Nginx NGINX nginx Straße')).toBe('engine x engine x engine x X')
    expect(say({ US: 'U S' }, 'US us Us')).toBe('U S us Us')
  })

  test('a term that is longer comes first, and nothing is respelled twice', () => {
    expect(say({ New: 'a', 'New York': 'b', 'New York City': 'c', b: 'no' }, 'New York City, New York, New')).toBe(
      'c, b, a',
    )
  })

  test('a term may hold any character of a pattern', () => {
    const terms = {
      'C++': 'see plus plus',
      '.NET': 'dot net',
      'a|b': 'x',
      '[x]': 'y',
      'q\\d(': 'z',
      '$&': 'money',
      '^-': 'w',
    }
    expect(say(terms, 'C++ .NET a|b [x] q\\d( $& ^- ASP.NET C+')).toBe('see plus plus dot net x y z money w ASP.NET C+')
  })

  test('a term may have a respelling that a replacement would read', () => {
    expect(say({ cash: "$& $1 $' $$" }, 'cash')).toBe("$& $1 $' $$")
  })

  test('a term is not looked for in pause markers, but beside them', () => {
    expect(say({ pause: 'halt', s: 'ess', 1: 'one' }, 'pause[pause 1s]pause 1 s [pause 1]')).toBe(
      'halt[pause 1s]halt one ess [halt one]',
    )
  })

  test('a term must not be empty', () => {
    expect(() => createLexicon({ en: { ' ': 'x' } })).toThrow(TextOptionError)
  })
})

describe('a language', () => {
  const lexicon = createLexicon({
    '*': { SQL: 'any', data: 'any' },
    en: { SQL: 'english', route: 'root' },
    'en-US': { route: 'rout' },
    de: { SQL: 'german' },
  })

  test.each([
    ['en', 'english root any'],
    ['en-GB', 'english root any'],
    ['EN-us', 'english rout any'],
    ['en-US-x-twain', 'english rout any'],
    [' de ', 'german route any'],
    ['eng', 'any route any'],
    ['fr', 'any route any'],
    [undefined, 'any route any'],
  ])('%s', (language, spoken) => {
    expect(applyLexicon('SQL route data', lexicon, language).spoken).toBe(spoken)
  })

  test('a language is asked for anew each time', () => {
    expect(['en', 'de', 'en'].map((language) => lexicon.respell('SQL', language))).toEqual([
      'english',
      'german',
      'english',
    ])
  })
})

test('an empty lexicon changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(applyLexicon(text, createLexicon({}), 'en')).toEqual({ written: text, spoken: text })
    }),
  )
})

test('any term is found where it stands alone', () => {
  const term = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }).filter((one) => one.trim() !== '')
  fc.assert(
    fc.property(term, (one) => {
      expect(createLexicon({ '*': { [one]: 'said' } }).respell(` ${one} `)).toBe(' said ')
    }),
    { numRuns: 500, examples: [['-'], ['constructor'], ['[']] },
  )
})

test('without a language, the terms of the only language of a lexicon count', () => {
  expect(createLexicon({ en: { SQL: 'sequel' }, '*': { x: 'ex' } }).respell('SQL x')).toBe('sequel ex')
  expect(createLexicon({ en: { SQL: 'sequel' }, de: { SQL: 'Es Ku El' } }).respell('SQL')).toBe('SQL')
  expect(createLexicon({ en: { SQL: 'sequel' } }).respell('SQL', 'de')).toBe('SQL')
})
