import { expect, test } from 'vitest'
import { splitSentences } from '../src/sentences/index.ts'
import { ruleSetScore } from './score/rule-sets.ts'

test('the Golden Rules and the public rule sets hold', async () => {
  const english = await ruleSetScore('english')
  const german = await ruleSetScore('german')
  expect(english.golden).toMatchObject({ of: 51 })
  expect(english.all).toMatchObject({ of: 163 })
  expect(german.all).toMatchObject({ of: 32 })
  expect(english.golden.right).toBeGreaterThanOrEqual(49)
  expect(english.all.right).toBeGreaterThanOrEqual(133)
  expect(german.all.right).toBeGreaterThanOrEqual(32)
})

test.each([
  ['de', 'Er kam z. B. gestern. Dann ging er.', ['Er kam z. B. gestern.', 'Dann ging er.']],
  ['de', 'Bücher u. Ä. Bitte bringen!', ['Bücher u. Ä. Bitte bringen!']],
  ['de', 'Dr. med. Meyer kam. Er blieb.', ['Dr. med. Meyer kam.', 'Er blieb.']],
  ['de', 'Siehe S. 225. Das 20. Jahrhundert begann.', ['Siehe S. 225.', 'Das 20. Jahrhundert begann.']],
  ['de', 'Es waren 20. Dann kam er.', ['Es waren 20.', 'Dann kam er.']],
  ['de', '„Nein!“ Sie ging. „Ja.“', ['„Nein!“', 'Sie ging.', '„Ja.“']],
  ['de', '»Nein!« Sie ging.', ['»Nein!«', 'Sie ging.']],
  ['fr', '« Bonjour ! » Il part.', ['« Bonjour ! »', 'Il part.']],
  ['fr', '« Bonjour ! » dit-il.', ['« Bonjour ! » dit-il.']],
  ['ja', '「はい。」そう言った。', ['「はい。」', 'そう言った。']],
  ['zh', '我看了《摔跤吧！爸爸》。很好！', ['我看了《摔跤吧！爸爸》。', '很好！']],
  ['en', 'It is so.[1] They left.[2][3] Then more.', ['It is so.[1]', 'They left.[2][3]', 'Then more.']],
  ['en', 'She works at Yahoo! in town. (He does not.)', ['She works at Yahoo! in town.', '(He does not.)']],
  ['en', '1. Eat 2. Sleep 3. Code', ['1. Eat', '2. Sleep', '3. Code']],
])('%s: %s', (language, text, sentences) => {
  expect(splitSentences(text, { language })).toEqual(sentences)
})

test('no sentence begins with closing or ends with opening punctuation', () => {
  const marks = ['. ', '! ', '? ', '。', '！', '”', '» ', '« ', '“', '(', ') ', '[', '] ', '「', '」', 'a', 'Bc ', 'D']
  const texts = marks.flatMap((a) => marks.flatMap((b) => marks.map((c) => `Word${a}${b}${c}Word then.`)))
  const wrong = texts.filter((text) => {
    const [, ...rest] = splitSentences(text)
    return (
      rest.some((sentence) => /^[」)\]。！!?.,]/u.test(sentence)) || /\s[([「]$/u.test(splitSentences(text)[0] ?? '')
    )
  })
  expect(wrong).toEqual([])
})
