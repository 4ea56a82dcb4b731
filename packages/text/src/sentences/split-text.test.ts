import { describe, expect, test } from 'vitest'
import { TextOptionError } from './split-options.ts'
import { splitPauses } from './pauses.ts'
import { createTextSplitter, splitSentences, splitStream, splitText } from './split-text.ts'
import * as fc from 'fast-check'

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

async function* chunked(text: string, size: number): AsyncGenerator<string, void, undefined> {
  for (let from = 0; from < text.length; from += size) yield text.slice(from, from + size)
}

describe('a sentence is returned when it is certain', () => {
  test('a sentence is returned when it is certain after the next complete word', () => {
    const splitter = createTextSplitter()
    expect(splitter.push('It is over.')).toEqual([])
    expect(splitter.push(' The')).toEqual([])
    expect(splitter.push(' n')).toEqual(['It is over.'])
    expect(splitter.push('ext one.')).toEqual([])
    expect(splitter.end()).toEqual(['The next one.'])
    expect(splitter.end()).toEqual([])
  })

  test.each([
    ['decimals', ['Pi is 3.', '14 and', ' more. ', 'Yes it is.'], ['Pi is 3.14 and more.', 'Yes it is.']],
    ['a title', ['Dr.', ' Smith came. He', ' left.'], ['Dr. Smith came.', 'He left.']],
    ['initials', ['By J.', ' R. R', '. Tolkien. The', ' end'], ['By J. R. R. Tolkien.', 'The end']],
    ['a marker', ['Hi. [pa', 'use 0', '.5s] The', 're he is'], ['Hi. [pause 0.5s]', 'There he is']],
    ['a bracket that is no marker', ['Hi! [pa', 'id] all of it'], ['Hi!', '[paid] all of it']],
    ['half a character', ['Hi. \uD835', '\uDC00b c'], ['Hi.', '\u{1D400}b c']],
  ])('%s stays whole', (_, chunks, sentences) => {
    const splitter = createTextSplitter()
    expect([...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()]).toEqual(sentences)
  })

  test('an empty line is certain by itself', () => {
    const splitter = createTextSplitter()
    expect(splitter.push('A title\r\n\r')).toEqual(['A title'])
    expect(splitter.push('\n[pause 1s]\n\nMr.\n \n')).toEqual(['[pause 1s]\n\nMr.'])
    expect(splitter.end()).toEqual([])
  })

  test('a long sentence is cut before its end', () => {
    const splitter = createTextSplitter({ maxCharacters: 32 })
    expect(splitter.push(`${'word '.repeat(5)}and, ${'more '.repeat(60)}`)[0]).toBe('word word word word word and,')
  })
})

describe('streamed text is split like the whole text', () => {
  const fragments =
    'Dr. |J. |It |he |no. |No. |5 |3.|14|1. |end. |End.|?|! |!” |" |\n|\n\n|\r\n|… |, |U.S. |😀|。|你好|\u2029|[pause 0.5s]|[pause |[pa|s]|(|) |e\u0301|É |\uD83D|ⓐ|𝐀'
  const pieces = fc.array(
    fc.oneof(
      fc.constantFrom(...fragments.split('|'), 'word'.repeat(30), ' '.repeat(90), '7'.repeat(200)),
      fc.string({ unit: 'binary', maxLength: 8 }),
    ),
    { maxLength: 60 },
  )

  test('in any chunks', () => {
    fc.assert(
      fc.property(pieces, fc.integer({ min: 32, max: 200 }), (chunks, maxCharacters) => {
        const splitter = createTextSplitter({ maxCharacters })
        expect([...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()]).toEqual(
          splitSentences(chunks.join(''), { maxCharacters }),
        )
      }),
      { numRuns: 1500 },
    )
  })

  test('character by character', () => {
    fc.assert(
      fc.property(pieces, (chunks) => {
        const splitter = createTextSplitter({ maxCharacters: 64 })
        const text = chunks.join('')
        expect([...text.split('').flatMap((chunk) => splitter.push(chunk)), ...splitter.end()]).toEqual(
          splitSentences(text, { maxCharacters: 64 }),
        )
      }),
      { numRuns: 200 },
    )
  })

  test('as a stream', async () => {
    const text = 'Dr. Smith took 3.14 of it. [pause 1s] Then he left.\n\nThe end.'
    for (const size of [1, 3, 7, 1000]) {
      const sentences: string[] = []
      for await (const sentence of splitStream(chunked(text, size))) sentences.push(sentence)
      expect(sentences).toEqual(splitSentences(text))
    }
  })
})

test('leaving the stream ends its source', async () => {
  let ended = false
  async function* source(): AsyncGenerator<string, void, undefined> {
    try {
      for (;;) yield 'One more sentence. '
    } finally {
      ended = true
    }
  }
  for await (const sentence of splitStream(source())) {
    expect(sentence).toBe('One more sentence.')
    break
  }
  expect(ended).toBe(true)
})

test('options are checked', () => {
  expect(() => createTextSplitter({ maxCharacters: 10 })).toThrow(TextOptionError)
})
