import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TextOptionError } from '../text-option-error.ts'
import { splitPauses } from './pauses.ts'
import { splitSentences, splitText } from './split-text.ts'

const squeeze = (text: string): string => text.replaceAll(/\s/g, '')

const parts =
  'Dr. |J. |It |no. |5 |3.14|end. |? |!” |\n|\n\n|… |, |,|U.S. |😀|👩‍👩‍👧|。|，|\u2029|[pause 0.5s]|[pause 10s] |[pause |[pa|e\u0301|\uD83D'
const anyText = fc.oneof(
  fc.array(fc.constantFrom(...parts.split('|'), 'word'.repeat(30)), { maxLength: 80 }).map((chosen) => chosen.join('')),
  fc.string({ unit: 'binary', maxLength: 600 }),
)
const limit = fc.integer({ min: 32, max: 300 })

describe('splitSentences', () => {
  test.each([
    ['One. Two! Three? Four', ['One.', 'Two!', 'Three?', 'Four']],
    ['I met Dr. Smith. He left.', ['I met Dr. Smith.', 'He left.']],
    ['By J. R. R. Tolkien himself. Then more.', ['By J. R. R. Tolkien himself.', 'Then more.']],
    ['Pi is 3.14 or so. Version 2.0. Next', ['Pi is 3.14 or so.', 'Version 2.0.', 'Next']],
    ['The U.S. Government met. In the U.S. They met.', ['The U.S. Government met.', 'In the U.S.', 'They met.']],
    ['It has vitamin C. It is good. So do I. Then go.', ['It has vitamin C.', 'It is good.', 'So do I.', 'Then go.']],
    ['See No. 5 and Fig. 3. No. I will not.', ['See No. 5 and Fig. 3.', 'No.', 'I will not.']],
    ['Some, e.g. Tolkien, i.e. John. Vs. Lewis.', ['Some, e.g. Tolkien, i.e. John.', 'Vs. Lewis.']],
    ['“What?” he said. “No!” She left.', ['“What?” he said.', '“No!”', 'She left.']],
    ['1. First\n2. Second', ['1. First', '2. Second']],
    ['A title\nSome text that is\nwrapped.', ['A title', 'Some text that is\nwrapped.']],
    ['今日は。明日は。', ['今日は。', '明日は。']],
    ['Hi. [pause 0.5s] There.', ['Hi. [pause 0.5s]', 'There.']],
    ['Hi.[pause 0.5s]There.', ['Hi.[pause 0.5s]', 'There.']],
    ['One [pause 1s]. Two', ['One [pause 1s].', 'Two']],
    ['[pause 1s] One. Two', ['[pause 1s] One.', 'Two']],
    ['One.\n\n[pause 1s]\n\nTwo.', ['One.', '[pause 1s]\n\nTwo.']],
    [' \n\t ', []],
    ['', []],
  ])('%j is cut where its sentences end', (input, sentences) => {
    expect(splitSentences(input)).toEqual(sentences)
  })

  test.each([
    ['de', 'Das ist z.B. Hans. Am 3. Oktober kam er.', ['Das ist z.B. Hans.', 'Am 3. Oktober kam er.']],
    ['fr-CA', 'Voici MM. Dupont et Durand. Ils partent.', ['Voici MM. Dupont et Durand.', 'Ils partent.']],
    ['es', 'La Sra. Paz y Ud. Vienen. Sí.', ['La Sra. Paz y Ud. Vienen.', 'Sí.']],
    ['en', 'It is 10 mm. Then stop.', ['It is 10 mm.', 'Then stop.']],
    ['no such language', 'Mr. Smith. Bye.', ['Mr. Smith.', 'Bye.']],
  ])('the abbreviations of %s are not cut', (language, input, sentences) => {
    expect(splitSentences(input, { language })).toEqual(sentences)
  })

  test('sentences end alike in any context', () => {
    const sentence = fc.constantFrom('Dr. Smith came.', 'Who is J. R. R. Tolkien?', 'Take 3.14!', 'Wait. [pause 1s]')
    fc.assert(
      fc.property(fc.array(sentence, { minLength: 1, maxLength: 12 }), (sentences) => {
        expect(splitSentences(sentences.join(' '))).toEqual(sentences)
      }),
    )
  })
})

describe('splitText', () => {
  const words = (count: number, word = 'word'): string => `${`${word} `.repeat(count - 1)}${word}.`

  test('a text within the limit stays one piece, paragraphs included', () => {
    expect(splitText('One.\n\nTwo. Three, four.')).toEqual(['One.\n\nTwo. Three, four.'])
  })

  test('a paragraph is a better place than a later sentence', () => {
    const [a, b, c] = [words(5, 'a'), words(5, 'b'), words(12, 'c')]
    expect(splitText(`${a}\n\n${b} ${c}`, { maxCharacters: 40 })).toEqual([a, `${b} ${c}`])
  })

  test('a sentence is a better place than a later comma', () => {
    const long = `${words(4, 'Bb').slice(0, -1)}, ${words(30, 'cc')}`
    expect(splitText(`Aaaaa aaa. ${long}`, { maxCharacters: 60 })[0]).toBe('Aaaaa aaa.')
  })

  test('a comma is a better place than a later space', () => {
    const text = `${words(4).slice(0, -1)}, ${words(8)}`
    expect(splitText(text, { maxCharacters: 40 })).toEqual(['word word word word,', words(8)])
  })

  test('a comma inside a number is not a cut', () => {
    expect(splitText(`${'9,999,999 '.repeat(4)}end`, { maxCharacters: 32 })).toEqual([
      '9,999,999 9,999,999 9,999,999',
      '9,999,999 end',
    ])
  })

  test('a text without white space is cut between characters as readers see them', () => {
    const family = '👩‍👩‍👧'
    const pieces = splitText(family.repeat(20), { maxCharacters: 35 })
    expect(pieces).toHaveLength(5)
    expect(new Set(pieces)).toEqual(new Set([family.repeat(4)]))
  })

  test('only white space is lost, and the limit holds', () => {
    fc.assert(
      fc.property(anyText, limit, (input, maxCharacters) => {
        const pieces = splitText(input, { maxCharacters })
        expect(squeeze(pieces.join(''))).toBe(squeeze(input))
        expect(pieces.every((piece) => piece.length <= maxCharacters && piece.trim() === piece && piece !== '')).toBe(
          true,
        )
        let from = 0
        for (const piece of pieces) {
          from = input.indexOf(piece, from) + piece.length
          expect(from).toBeGreaterThanOrEqual(piece.length)
        }
      }),
      { numRuns: 500 },
    )
  })

  test('no pause marker is cut, moved or added', () => {
    const markers = (input: string): string[] =>
      splitPauses(input).flatMap((part) => (part.type === 'pause' ? [part.marker] : []))
    const dense = fc
      .array(fc.constantFrom('[pause 0.5s]', 'word', 'x'.repeat(25), ' ', '. ', ', ', '[pause 10.0s]'), {
        maxLength: 60,
      })
      .map((chosen) => chosen.join(''))
    fc.assert(
      fc.property(dense, limit, (input, maxCharacters) => {
        expect(splitText(input, { maxCharacters }).flatMap(markers)).toEqual(markers(input))
      }),
      { numRuns: 500 },
    )
  })

  test.each([0, 31, 32.5, Number.NaN, Infinity])('maxCharacters %d is refused', (maxCharacters) => {
    expect(() => splitText('text', { maxCharacters })).toThrow(TextOptionError)
    expect(() => splitSentences('text', { maxCharacters })).toThrow(TextOptionError)
  })
})

/** A step that looked at all that came before would take minutes here, and the test's deadline is seconds. */
describe('a million characters', () => {
  test.each([
    ['letters', 'a'.repeat(1_000_000)],
    ['initials', 'J. '.repeat(333_000)],
    ['line ends', 'a' + '\n'.repeat(1_000_000)],
    ['wrapped lines', 'and\nso on '.repeat(100_000)],
    ['quoted ends', '!)'.repeat(500_000)],
    ['full stops', '. '.repeat(500_000)],
    ['digits', `Hi. ${'1'.repeat(1_000_000)}`],
    ['half markers', '[pause '.repeat(140_000)],
    ['markers', '[pause 1s]'.repeat(100_000)],
    ['combining marks', `a${'\u0301'.repeat(1_000_000)}`],
  ])('a million characters of %s are split whole', (_, input) => {
    const pieces = splitText(input)
    expect(squeeze(pieces.join('')) === squeeze(input)).toBe(true)
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(1000)
  })
})
