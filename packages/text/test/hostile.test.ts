import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { readHtml, readMarkdown, readPlainText, speakableStream } from '../src/index.ts'

const long = (part: string, length = 60_000): string => part.repeat(Math.ceil(length / part.length))

/** Quadratic time would take minutes for some of these, and the deadline of a test is a minute. */
test.each([
  ['stars', long('*a')],
  ['brackets', long('[')],
  ['links', long('[a](')],
  ['references', `[a]: http://b\n${long('[a][')}`],
  ['footnote marks', long('[^')],
  ['backticks', Array.from({ length: 300 }, (_, index) => '`'.repeat(index)).join(' ')],
  ['tags', long('<b>')],
  ['closing tags', long('<div>a</span>')],
  ['list tags', long('<b><li>')],
  ['comments', long('<!--\n')],
  ['scripts', long('<script>')],
  ['addresses', long('http://a')],
  ['quotation marks', long('>')],
  ['list marks', long('- ')],
  ['nested lists', Array.from({ length: 300 }, (_, index) => `${' '.repeat(index)}- a`).join('\n')],
  ['fences', long('```a\n')],
  ['tildes', long('~~~a\n')],
  ['tables', long('|\n|-|\n')],
  ['dollars', long('$a ')],
  ['braces', long('{{a ', 30_000)],
  ['unclosed expressions', long('{a ', 200_000)],
  ['unclosed strings in expressions', long("{'", 200_000)],
  ['unclosed templates in expressions', long('`\\`{', 200_000)],
  ['unclosed comments in expressions', long('{/*', 200_000)],
  ['unclosed tags with expressions', long('<a b={`', 200_000)],
  ['colons', long(':a ')],
  ['emoji', long('😀 ')],
])('%s are read in linear time', (_, source) => {
  for (const mdx of [false, true]) expect(readMarkdown(source, { mdx }).text.length).toBeLessThan(source.length * 2)
  expect(readHtml(source).text.length).toBeLessThan(source.length * 2)
})

test('a heading with a million spaces is read in linear time', () => {
  expect(readMarkdown(`# a${' '.repeat(1_000_000)}b`).text).toBe('a b.')
  expect(readMarkdown(`# a${' '.repeat(1_000_000)}#`).text).toBe('a.')
})

const MARKS =
  '# A|**b|** |\n|\n\n|```\n|~~~|- c|1. |> |`d`|http://e.f/g| |😀|[h](i)|<b>|</b>|<div hidden>|<!--|-->|$$|{{|[^1]|[^1]: |[pause 1s]|word'
const part = fc.constantFrom(...MARKS.split('|'), '| a |', '\n|-|\n')
const source = fc.array(part, { maxLength: 40 }).map((parts) => parts.join(''))

test('no text makes a reader fail, and no pause marker is lost or added', () => {
  const pauses = (text: string): number => text.match(/\[pause 1s\]/g)?.length ?? 0
  fc.assert(
    fc.property(source, (text) => {
      for (const { text: spoken, blocks } of [readMarkdown(text), readMarkdown(text, { mdx: true }), readHtml(text)]) {
        expect(pauses(spoken)).toBeLessThanOrEqual(pauses(text))
        expect(blocks.every((block) => block.text.trim() === block.text && block.text !== '')).toBe(true)
      }
      expect(pauses(readPlainText(text).text)).toBe(pauses(text))
    }),
    { numRuns: 500 },
  )
})

async function* chunked(text: string, size: number): AsyncGenerator<string, void, undefined> {
  for (let from = 0; from < text.length; from += size) yield text.slice(from, from + size)
}

async function streamed(text: string, size: number): Promise<string> {
  let all = ''
  for await (const chunk of speakableStream(chunked(text, size))) all += chunk
  return all.trim()
}

test.each([
  ['paragraphs', '**a**\nb\n\nc\n```\nd\n\ne\n```\nf\n\ng'],
  ['loose lists', '1. a\n\n   b\n\n2. c\n   - d\n\n     e\n\nf'],
  ['front matter', '---\ntitle: x\n\ny: z\n---\n# a\n\nb'],
  ['fences in lists', '- a\n  ```js\n  x\n\n  y\n  ```\n\n  b\n- c\n\nd'],
  ['footnotes', 'a[^1] b[^2].\n\n[^1]: x\n\n    y\n\nc'],
  ['comments', 'a\n\n<!-- b\n\nc -->\n\nd'],
])('streamed %s are spoken as the whole text is, whatever the chunks', async (_, text) => {
  const whole = readMarkdown(text).text
  for (const size of [1, 2, 3, 7, 1000]) expect(await streamed(text, size)).toBe(whole)
})

test('a paragraph is spoken as soon as it has ended', async () => {
  const stream = speakableStream(chunked('One.\n\nTwo', 1))
  expect(await stream.next()).toEqual({ done: false, value: 'One.\n\n' })
})
