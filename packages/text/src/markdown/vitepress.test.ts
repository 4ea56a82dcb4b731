import { expect, test } from 'vitest'
import { readMarkdown } from './read-markdown.ts'
import { readHtml } from '../html.ts'

test.each([
  [
    'listeners and slots are tags',
    '<MyComp @click="go(a > b)" #head>Text</MyComp>\n\n<MyComp\n  @x\n  :y="1"\n/>\n\nB',
    'Text\n\nB',
  ],
  ['a component in a sentence', 'A <Badge @click="x" text="no" /> b', 'A b'],
  [
    'the content of a slot is displayed',
    '<template #slot>Slot text</template>\n\n<template v-slot:x>Y</template>',
    'Slot text\n\nY',
  ],
  ['another template is not', '<template>\n\nno\n\n</template>\n\nA', 'A'],
  ['imported code', 'A\n<<< @/snippets/a.ts#region{1,2 ts:line-numbers} [name]\nB', 'A\n\nB'],
  ['a mark of a merge is text', 'a <<< b', 'a <<< b'],
  ['attributes behind links, code and emphasis', '[a](b){target="_blank" rel=x .c} `d`{lang=js} *e*{#f}', 'a d e'],
  ['braces in prose are text', 'Set {x=1} here', 'Set {x=1} here'],
  ['an included file', 'A\n\n<!--@include: ./b.md{1,3}-->\n\nC', 'A\n\nC'],
  ['a file that VuePress includes', 'A\n\n@include(./b.md)\n\n@[code{1-3} js](../b.js)\n\nC', 'A\n\nC'],
  ['an expression in HTML', '<p>Of {{ $frontmatter.date }} on</p>\n\n<td>{{ a < b ? 1 : 2 }}</td>\n\nB', 'Of on\n\nB'],
  [
    'an expression in code',
    'Write `{{ name }}`, or\n\n<p>use <code>{{ x }}</code></p>',
    'Write {{ name }}, or\n\nuse {{ x }}',
  ],
])('%s', (_, source, text) => {
  expect(readMarkdown(source).text).toBe(text)
})

const TABLE = '| A | B |\n|-|-|\n| a | ✅ |\n| b | ❌ `later` |\n| c | :x: |\n| d | ✔️ 1.2 |\n| e | 🎉 |'

test('marks of a table are yes and no', () => {
  expect(readMarkdown(TABLE).text).toBe('A, B.\n\na, yes.\n\nb, no, later.\n\nc, no.\n\nd, yes, 1.2.\n\ne.')
})

test('marks of a table are spoken in the language of the page', () => {
  expect(readMarkdown(`---\nlang: de-AT\n---\n${TABLE}`, { tables: 'labelled' }).text).toContain(
    'A: b, B: nein, later.',
  )
  expect(readHtml('<html lang="fr"><table><tr><td>a<td>✅</table>').text).toBe('a, oui.')
  expect(readMarkdown(TABLE, { language: 'tlh' }).text).toContain('a, yes.')
})

test('the words are an option, and may be skipped', () => {
  expect(readMarkdown(TABLE, { yesNo: ['included', 'missing'] }).text).toContain('a, included.\n\nb, missing, later.')
  expect(readMarkdown('| a | ✅ |\n|-|-|', { yesNo: 'skip' }).text).toBe('a.')
  expect(() => readMarkdown('', { yesNo: 'no' as 'skip' })).toThrow(/yesNo.*\['yes', 'no'\]/)
})
