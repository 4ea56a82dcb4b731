import { describe, expect, test } from 'vitest'
import { answerSentences, createAnswerReader, speakable, splitSentences, withoutReasoning } from '../src/index.ts'
import { ANSWERS } from './corpus/answers.ts'

/** The sentences of an answer in pieces of so many characters. */
function inPieces(text: string, size: number): string[] {
  const reader = createAnswerReader()
  const sentences: string[] = []
  for (let at = 0; at < text.length; at += size) sentences.push(...reader.push(text.slice(at, at + size)))
  return [...sentences, ...reader.end()]
}

/** What the whole text gives, read at once. */
function whole(text: string): string[] {
  const answer = text.replaceAll(/<(think|thinking|reasoning)>[^]*?(?:<\/\1>|$)/g, '')
  return splitSentences(speakable(answer))
}

describe('what is spoken of an answer', () => {
  test('the corpus has 60 answers or more', () => {
    expect(Object.keys(ANSWERS).length).toBeGreaterThanOrEqual(60)
  })

  test.each(Object.entries(ANSWERS))(
    '%s: pieces of 1 to 40 characters give what the whole text gives',
    (_name, text) => {
      const expected = whole(text)
      expect(answerSentences(text)).toEqual(expected)
      for (let size = 1; size <= 40; size += 1) expect([size, inPieces(text, size)]).toEqual([size, expected])
    },
  )

  test('no mark of Markdown and no thought is spoken', () => {
    const marks = /\*\*|\||```|<\/?think|annoying|Not spoken|Nothing else\.\n|https:/
    const found = Object.entries(ANSWERS)
      .filter(([name]) => !['open emphasis', 'a bar in a sentence', 'json'].includes(name))
      .flatMap(([, text]) => answerSentences(text))
      .filter((sentence) => marks.test(sentence))
    expect(found).toEqual([])
  })
})

describe('a sentence is handed out early', () => {
  test.each([
    ['behind the first word of the next', 'One is done. Two ', ['One is done.']],
    ['behind a closed mark', '**One. Two.** Three ', ['One.', 'Two.']],
    ['with the item of a list, when the next item begins', '- Flour\n- Milk. Co', ['Flour.']],
    ['with a row, when the next row begins', '| A | B |\n|---|---|\n| 1 | 2 |\n| 3', ['A, B.', '1, 2.']],
    ['when its mark ends the chunk', 'This is the first sentence. And this ', ['This is the first sentence.']],
    ['beside a price', 'Tea is $3. Coffee ', ['Tea is $3.']],
  ])('%s', (_name, text, expected) => {
    expect(createAnswerReader().push(text)).toEqual(expected)
  })

  test('not while a mark is open that decides how it is read', () => {
    expect(createAnswerReader().push('See [the guide. It is short. Very ')).toEqual([])
  })
})

test.each([
  ['<think>Hm.</think>Hello.', 'Hello.'],
  ['One. <THINKING>x</THINKING>Two.', 'One. Two.'],
  ['<think>İİİ</think>Evet, tamam.', 'Evet, tamam.'],
  ['Nothing else <reasoning>to the end', 'Nothing else '],
  ['left out</think>Yes.', 'left outYes.'],
  ['a < b and <b>c</b>', 'a < b and <b>c</b>'],
])('withoutReasoning(%j) is %j', (answer, rest) => {
  expect(withoutReasoning(answer)).toBe(rest)
})

test('an unknown option is refused', () => {
  expect(() => createAnswerReader({ url: 'skip' } as object)).toThrow('Unknown option `url`')
})
