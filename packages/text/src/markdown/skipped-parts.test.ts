import { expect, test } from 'vitest'
import { readHtml } from '../html.ts'
import type { ReadMarkdownOptions } from '../options.ts'
import { TextOptionError } from '../sentences/split-options.ts'
import { readMarkdown } from './read-markdown.ts'

test.each<[string, string, ReadMarkdownOptions, string]>([
  ['comments around blocks', 'A\n\n<!-- skip-speech -->\n\n## No\n\n- no\n\n<!-- /skip-speech -->\n\nB', {}, 'A\n\nB'],
  ['comments in a paragraph', 'A <!-- skip-speech -->no<!-- /skip-speech --> B', {}, 'A B'],
  ['comments of MDX', '{/* skip-speech */}\n\nno\n\n{/* /skip-speech */}\n\nA {/* other */} B', { mdx: true }, 'A B'],
  ['HTML comments in Svelte', 'A <!-- b --> C\n\n<!-- d -->\n\nE', { mdx: true }, 'A C\n\nE'],
  [
    'the class skip-speech',
    '<div class="a skip-speech">\n\nno\n\n</div>\n\nA <i class="skip-speech">no</i> B',
    {},
    'A B',
  ],
  ['the attribute data-skip-speech', 'A <span data-skip-speech>no</span> B', {}, 'A B'],
  ['the attribute behind a heading or a paragraph', '## No {.skip-speech}\n\nNo {.skip-speech}\n\nA', {}, 'A'],
  ['a component of the option', '<Advert title="no">\n\nno\n\n</Advert>\n\nA', { skip: ['Advert'] }, 'A'],
  [
    'a class, an id and an attribute of the option',
    '<b class="x">n</b><b id="y">n</b><b data-z>n</b>A',
    { skip: ['.x', '#y', '[data-z]'] },
    'A',
  ],
])('%s are not spoken', (_, source, options, text) => {
  expect(readMarkdown(source, options).text).toBe(text)
})

test('a comment without an end skips nothing, and is reported with its line', () => {
  const { text, problems } = readMarkdown('A\n\nB <!-- skip-speech --> C')
  expect(text).toBe('A\n\nB C')
  expect(problems).toEqual([{ message: expect.stringContaining('add <!-- /skip-speech -->'), line: 3 }])
})

test('an element that is skipped and never closed silences nothing', () => {
  expect(readMarkdown('<div class="skip-speech">\n\nA').text).toBe('A')
})

test('HTML skips the same parts', () => {
  const { text, problems } = readHtml(
    '<p>A<!-- skip-speech -->no<!-- /skip-speech --> B<!-- other -->C<p class=skip-speech>no<img class=skip-speech alt=no><p>D<!-- skip-speech --> E',
  )
  expect(text).toBe('A BC\n\nD E')
  expect(problems).toHaveLength(1)
})

test('a selector that is none names the option and the forms', () => {
  expect(() => readMarkdown('', { skip: ['div > p'] })).toThrow(TextOptionError)
  expect(() => readMarkdown('', { skip: ['div > p'] })).toThrow(/skip.*'\.class', '#id' or '\[attribute\]'/)
})
