import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commentProse, findRefused, findSentenceForms, markdownProse, readGlossary } from './style.ts'

const GLOSSARY = [{ term: 'in flight', refused: ['under way'] }]

describe('findRefused', () => {
  test('a refused phrase is reported with its line and the term', () => {
    const prose = markdownProse('A page.\n\nTwo calls are Under way.')
    expect(findRefused('a.md', prose, GLOSSARY)).toEqual(['a.md:3: "under way": write "in flight"'])
  })

  test('a longer word that contains the phrase is accepted', () => {
    expect(findRefused('a.md', markdownProse('thunder wayside, under-way'), GLOSSARY)).toEqual([])
  })
})

describe('findSentenceForms', () => {
  test.each([
    ['The task goes on.', '"goes on": write "continue"'],
    ['It puts out a text.', '"puts out": write "output"'],
    ['Programs of before read it.', '"of before": write "earlier, current"'],
    ['35 tasks a second', '"35 tasks a second": write "per"'],
    ['1 MB an hour', '"1 MB an hour": write "per"'],
    ['/** Most slots of one tenant. */', '"Most slots of one": write "maximum"'],
    ['It closes one that works for nobody.', '"for nobody": write "idle"'],
  ])('the form in %j is reported with its line and what to write', (text, expected) => {
    expect(findSentenceForms('a.md', [{ line: 2, text }])).toEqual([`a.md:2: ${expected}`])
  })

  test.each([
    'On Error goes on Error Output',
    'after 2 s, a minute at most',
    'Most frames have the header of the one before.',
    'Most of it is cached.',
  ])('%j is accepted', (text) => {
    expect(findSentenceForms('a.md', [{ line: 1, text }])).toEqual([])
  })
})

describe('markdownProse', () => {
  test('code blocks, inline code, addresses and HTML comments are not prose', () => {
    const page =
      '```ts\nunder way\n```\n`under way` [a](under way) https://under way <!-- under way -->\n~~~\nunder way\n~~~'
    const text = markdownProse(page).map((line) => line.text)
    expect(text.join('\n').match(/under way/g)).toBeNull()
  })

  test('a fence closes only with its own marker', () => {
    expect(markdownProse('````\n```\ncode\n````\nprose').map(({ text }) => text)).toEqual(['prose'])
  })
})

describe('commentProse', () => {
  test('docstrings and line comments are prose, code is not', () => {
    const source = '/** First. */\n * second\nconst kept = 1 // third\n// fourth'
    expect(commentProse(source).map(({ line }) => line)).toEqual([1, 2, 3, 4])
    expect(commentProse('const kept = 1')).toEqual([])
  })
})

describe('readGlossary', () => {
  test('the glossary of docs/style.md has a term in each row, and each refused word once', () => {
    const glossary = readGlossary(readFileSync(join(import.meta.dirname, '../../docs/style.md'), 'utf8'))
    const refused = glossary.flatMap((row) => row.refused)
    expect(glossary.map(({ term }) => term)).toContain('semaphore')
    expect(new Set(refused).size).toBe(refused.length)
  })

  test('a page without the table is refused', () => {
    expect(() => readGlossary('# Style')).toThrow('has no glossary')
  })

  test('a row with two columns is refused', () => {
    expect(() =>
      readGlossary('<!-- glossary -->\n| a | b | c |\n| - | - | - |\n| a | b |\n<!-- /glossary -->'),
    ).toThrow('needs three columns')
  })
})
