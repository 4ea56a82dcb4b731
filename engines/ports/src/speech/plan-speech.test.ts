import { describe, expect, test } from 'vitest'
import { cutLong, planSpeech, type SpeechStep, splitSentences } from './plan-speech.ts'
import * as fc from 'fast-check'

function lettersAndDigits(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9]/g, '')
}

/** Input of an engine for English: a sentence with a letter or digit. */
function speakable(sentence: string): string {
  return /[A-Za-z0-9]/.test(sentence) ? sentence.trim() : ''
}

describe('planSpeech', () => {
  test('an engine converts sentences itself, and its language ends them', () => {
    const marked = (sentence: string): string => (sentence.includes('€') ? '' : `<${sentence.trim()}>`)
    const spoken = (language: string): SpeechStep[] => planSpeech('Τι ώρα είναι; Δύο.\n€', false, marked, language)
    const gap = { type: 'gap', seconds: 0.2 }
    expect(spoken('el')).toEqual([{ type: 'speech', text: '<Τι ώρα είναι;>' }, gap, { type: 'speech', text: '<Δύο.>' }])
    expect(spoken('en')).toEqual([{ type: 'speech', text: '<Τι ώρα είναι; Δύο.>' }])
  })

  test('sentences and paragraphs have gaps between them, and none at the ends', () => {
    expect(planSpeech(' One. Two.\n\nThree. ', false, speakable)).toEqual([
      { type: 'speech', text: 'One.' },
      { type: 'gap', seconds: 0.2 },
      { type: 'speech', text: 'Two.' },
      { type: 'gap', seconds: 0.5 },
      { type: 'speech', text: 'Three.' },
    ])
  })

  test('a pause replaces the gap beside it, and ends a sentence', () => {
    expect(planSpeech('One. [pause 0.5s] Two and [pause 1s][pause 2.0s] three.', true, speakable)).toEqual([
      { type: 'speech', text: 'One.' },
      { type: 'pause', seconds: 0.5 },
      { type: 'speech', text: 'Two and' },
      { type: 'pause', seconds: 1 },
      { type: 'pause', seconds: 2 },
      { type: 'speech', text: 'three.' },
    ])
  })

  test('markers are text unless pauses are enabled', () => {
    expect(planSpeech('One [pause 0.5s] two.', false, speakable)).toEqual([
      { type: 'speech', text: 'One [pause 0.5s] two.' },
    ])
  })

  test('unspeakable pieces are dropped and leave the longest gap around them', () => {
    expect(planSpeech('One.\n\n😀.\nTwo.', false, speakable)).toEqual([
      { type: 'speech', text: 'One.' },
      { type: 'gap', seconds: 0.5 },
      { type: 'speech', text: 'Two.' },
    ])
    // An ellipsis belongs to the sentence that it opens.
    expect(planSpeech('... One. 世界。', false, speakable)).toEqual([{ type: 'speech', text: '... One.' }])
  })

  test('pieces of a word follow each other without a gap', () => {
    expect(planSpeech('a'.repeat(401), false, speakable)).toEqual([
      { type: 'speech', text: 'a'.repeat(200) },
      { type: 'speech', text: 'a'.repeat(200) },
      { type: 'speech', text: 'a' },
    ])
  })

  test('pauses alone stay pauses, and a silent text has no step', () => {
    expect(planSpeech(' [pause 3s] ', true, speakable)).toEqual([{ type: 'pause', seconds: 3 }])
    expect(planSpeech('... 😀 \n\n —', true, speakable)).toEqual([])
  })

  test('every letter of an English text is spoken in order, in pieces that fit one utterance', () => {
    const part = fc.constantFrom(
      'Dr. Smith, ',
      'word ',
      'end. ',
      '[pause 1s]',
      '\n\n',
      '“quoted!” ',
      'x'.repeat(150),
      '12345 ',
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
        const steps = planSpeech(parts.join(''), true, speakable)
        const spoken = steps.flatMap((step) => (step.type === 'speech' ? [step.text] : []))
        expect(lettersAndDigits(spoken.join(''))).toBe(
          lettersAndDigits(parts.filter((value) => value !== '[pause 1s]').join('')),
        )
        expect(spoken.every((text) => text.length <= 200)).toBe(true)
        expect(steps.filter((step) => step.type === 'pause')).toHaveLength(
          parts.filter((value) => value === '[pause 1s]').length,
        )
      }),
    )
  })
})

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

function characters(text: string): number {
  return Array.from(text).length
}

describe('cutLong', () => {
  test('a sentence of 200 characters stays whole', () => {
    const sentence = `${'word, '.repeat(33)}en`
    expect(sentence).toHaveLength(200)
    expect(cutLong(sentence)).toEqual([{ text: sentence, join: 'cut' }])
  })

  test('a longer one is cut at the last clause within 120 characters', () => {
    const clause = 'twenty characters a, '
    const [first, ...rest] = cutLong(clause.repeat(12))
    expect(first).toEqual({ text: clause.repeat(5), join: 'clause' })
    expect(rest.map((piece) => piece.text).join('')).toBe(clause.repeat(7))
  })

  test('a later end of a clause is better than a cut between words', () => {
    const late = `${'word '.repeat(30)}end, `
    expect(cutLong(late + 'word '.repeat(20))[0]).toEqual({ text: late, join: 'clause' })
  })

  test('without clauses it is cut between words, without a short rest', () => {
    const pieces = cutLong('word '.repeat(41))
    expect(pieces.map((piece) => [piece.text.length, piece.join])).toEqual([
      [120, 'cut'],
      [85, 'cut'],
    ])
  })

  test('an endless word is cut at 200 characters, never inside one', () => {
    const word = `a${'𝐇'.repeat(450)}`
    const pieces = cutLong(word)
    expect(pieces.map((piece) => characters(piece.text))).toEqual([200, 200, 51])
    expect(pieces.every((piece) => piece.text.isWellFormed())).toBe(true)
  })

  test('digits and signs count four times, because they take that long to speak', () => {
    expect(cutLong('7'.repeat(120)).map((piece) => piece.text.length)).toEqual([50, 50, 20])
    expect(cutLong('%'.repeat(51)).map((piece) => piece.text.length)).toEqual([50, 1])
  })

  test('an opening clause of a few words is not cut off', () => {
    expect(cutLong(`Well, ${'word '.repeat(45)}`)[0]?.text.length).toBeGreaterThan(100)
  })

  test('the parts are the whole, and none is over the limit', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 900 }), (sentence) => {
        const pieces = cutLong(sentence)
        expect(pieces.map((piece) => piece.text).join('')).toBe(sentence)
        expect(pieces.every((piece) => characters(piece.text) <= 200)).toBe(true)
        expect(pieces.every((piece) => piece.text !== '' || sentence === '')).toBe(true)
      }),
    )
  })
})
