import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { splitSentences } from './sentences.ts'

function split(text: string): string[] {
  return splitSentences(text).map((piece) => piece.text.trim())
}

describe('splitSentences', () => {
  test.each([
    ['One. Two! Three? Four', ['One.', 'Two!', 'Three?', 'Four']],
    ['I met Dr. Smith. He left.', ['I met Dr. Smith.', 'He left.']],
    ['By J. R. R. Tolkien himself. Then more.', ['By J. R. R. Tolkien himself.', 'Then more.']],
    ['J. A. Smith met George W. Bush. They spoke.', ['J. A. Smith met George W. Bush.', 'They spoke.']],
    ['Pi is 3.14 or so. Version 2.0. Next', ['Pi is 3.14 or so.', 'Version 2.0.', 'Next']],
    ['The U.S. Government met. In the U.S. They met.', ['The U.S. Government met.', 'In the U.S.', 'They met.']],
    ['It has vitamin C. It is good. So do I. Then go.', ['It has vitamin C.', 'It is good.', 'So do I.', 'Then go.']],
    ['See No. 5 and Fig. 3. No. I will not.', ['See No. 5 and Fig. 3.', 'No.', 'I will not.']],
    ['St. Peter lives on Main St. He is old.', ['St. Peter lives on Main St.', 'He is old.']],
    ['Some, e.g. Tolkien, i.e. John. Vs. Lewis.', ['Some, e.g. Tolkien, i.e. John.', 'Vs. Lewis.']],
    ['“What?” he said. “No!” She left.', ['“What?” he said.', '“No!”', 'She left.']],
    ['1. First\n2. Second', ['1. First', '2. Second']],
    ['A title\nSome text that is\nwrapped.', ['A title', 'Some text that is\nwrapped.']],
    ['Mr.\nSmith left.\nhe said.', ['Mr.\nSmith left.', 'he said.']],
    ['今日は。明日は。', ['今日は。', '明日は。']],
  ])('%j is cut at the ends of its sentences', (text, sentences) => {
    expect(split(text)).toEqual(sentences)
  })

  test('an empty line joins its neighbours as paragraphs', () => {
    expect(splitSentences('One.\n\nTwo.\r\n \r\nThree.\nFour. Five')).toEqual([
      { text: 'One.\n\n', join: 'paragraph' },
      { text: 'Two.\r\n \r\n', join: 'paragraph' },
      { text: 'Three.\n', join: 'sentence' },
      { text: 'Four. ', join: 'sentence' },
      { text: 'Five', join: 'sentence' },
    ])
  })

  test('white space before the first sentence belongs to it', () => {
    expect(splitSentences('\n\n One. Two.').map((piece) => piece.text)).toEqual(['\n\n One. ', 'Two.'])
  })

  test('white space alone is one piece, and the empty text none', () => {
    expect(splitSentences(' \n ').map((piece) => piece.text)).toEqual([' \n '])
    expect(
      splitSentences('')
        .map((piece) => piece.text)
        .join(''),
    ).toBe('')
  })

  test('a long sentence is cut at its clauses, and its last part keeps the join of the sentence', () => {
    const clause = 'it was the age of wisdom and of other things, '
    const pieces = splitSentences(`${clause.repeat(8).trim()}\n\nNext.`)
    expect(pieces.map((piece) => piece.join)).toEqual(['clause', 'clause', 'paragraph', 'sentence'])
    expect(pieces[0]?.text).toBe(clause.repeat(2))
  })

  test('no text is lost or moved', () => {
    const parts = 'Dr. |J. |It |no. |5 |3.14|end. |? |!” |\n|\n\n|… |, |U.S. |😀|。|\u2029|'.split('|')
    const text = fc.oneof(
      fc.array(fc.constantFrom(...parts, 'word'.repeat(60)), { maxLength: 80 }).map((chosen) => chosen.join('')),
      fc.string({ unit: 'binary', maxLength: 600 }),
    )
    fc.assert(
      fc.property(text, (input) => {
        expect(
          splitSentences(input)
            .map((piece) => piece.text)
            .join(''),
        ).toBe(input)
      }),
      { numRuns: 500 },
    )
  })

  test('sentences end the same way in any context', () => {
    const sentence = fc.constantFrom(
      'Dr. Smith came.',
      'Who is J. R. R. Tolkien?',
      'Take 3.14 of it!',
      'We met Mr. No.',
    )
    fc.assert(
      fc.property(fc.array(sentence, { minLength: 1, maxLength: 12 }), (sentences) => {
        expect(split(sentences.join(' '))).toEqual(sentences)
      }),
    )
  })

  test.each([
    ['letters', 'a'.repeat(100_000)],
    ['initials', 'J. '.repeat(33_000)],
    ['line ends', '\n'.repeat(100_000)],
    ['wrapped lines', 'and\nso on '.repeat(10_000)],
    ['quoted ends', '!)'.repeat(50_000)],
    ['full stops', '. '.repeat(50_000)],
  ])('100,000 characters of %s are split whole', (_, text) => {
    const pieces = splitSentences(text)
    expect(pieces.map((piece) => piece.text).join('') === text).toBe(true)
    expect(Math.max(...pieces.map((piece) => piece.text.length))).toBeLessThanOrEqual(200)
  })
})
