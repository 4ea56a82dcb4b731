import { expect, test } from 'vitest'
import { readMarkdown } from './read-markdown.ts'

test('a document has front matter, a title, a language, and blocks with their lines', () => {
  const source = '---\ntitle: Hello\nlang: de\n---\n# One {#x}\n\nText\n\n- a\n- b!\n'
  expect(readMarkdown(source)).toEqual({
    frontMatter: { title: 'Hello', lang: 'de' },
    title: 'Hello',
    language: 'de',
    blocks: [
      { kind: 'heading', level: 1, text: 'One.', id: 'x', line: 5 },
      { kind: 'paragraph', text: 'Text', line: 7 },
      { kind: 'list-item', text: 'a.', line: 9 },
      { kind: 'list-item', text: 'b!', line: 10 },
    ],
    text: 'One.\n\nText\n\na.\n\nb!',
    problems: [],
  })
})

test.each([
  ['an unclosed fence in a list item', '- a\n  ```\n  code\n\n  after\n- b\n\nnext', 'a.\n\nafter\n\nb.\n\nnext'],
  ['an unclosed fence in a quotation', '> ```\n> code\n\nafter', 'after'],
  ['an unclosed fence', '```js\ncode\n\nafter', 'after'],
  ['a line of tildes', 'a\n\n~~~\n\nb', 'a\n\nb'],
  ['a comment without an end', 'a\n\n<!-- b\n\nc', 'a\n\n<!-- b\n\nc'],
  ['a hidden element without an end', '<div hidden>\n\na\n\n</p>\n\nb', 'a\n\nb'],
  ['a script tag in a sentence', 'Use the <script> tag.', 'Use the tag.'],
  ['20,000 quotation marks', `${'>'.repeat(20_000)} a`, 'a'],
  ['20,000 list marks', `${'- '.repeat(20_000)}a`, 'a.'],
])('%s loses no text behind it', (_, source, text) => {
  expect(readMarkdown(source).text).toBe(text)
})
