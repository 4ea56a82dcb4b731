import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TextOptionError } from '../text-option-error.ts'
import { splitSentences } from './split-text.ts'
import { createTextSplitter, splitStream } from './text-splitter.ts'

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
  const parts =
    'Dr. |J. |It |he |no. |No. |5 |3.|14|1. |end. |End.|?|! |!” |" |\n|\n\n|\r\n|… |, |U.S. |😀|。|你好|\u2029|[pause 0.5s]|[pause |[pa|s]|(|) |e\u0301|É |\uD83D|ⓐ|𝐀'
  const pieces = fc.array(
    fc.oneof(
      fc.constantFrom(...parts.split('|'), 'word'.repeat(30), ' '.repeat(90), '7'.repeat(200)),
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
