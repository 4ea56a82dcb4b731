import { expect, test } from 'vitest'
import { createLexicon } from '../sentences/lexicon.ts'
import { readHtml } from '../html.ts'
import { readMarkdown } from './read-markdown.ts'

test('a phrase in another language is a span of its block', () => {
  const [block] = readMarkdown('He said <span lang="de">Guten *Tag*</span> and left.').blocks
  expect(block?.text).toBe('He said Guten Tag and left.')
  expect(block?.spans).toEqual([{ text: 'He said' }, { text: ' Guten Tag', language: 'de' }, { text: ' and left.' }])
})

test('a paragraph in another language is one span, with its end mark and its number', () => {
  const { blocks } = readMarkdown('1. <span lang="de">Eins</span>\n\n<p lang="fr">Bonjour</p>')
  expect(blocks.map(({ text, spans }) => [text, spans])).toEqual([
    ['1. Eins.', [{ text: '1. Eins.', language: 'de' }]],
    ['Bonjour', [{ text: 'Bonjour', language: 'fr' }]],
  ])
})

test('spans in the language of the document are no spans', () => {
  expect(readMarkdown('---\nlang: de\n---\nA <i lang="DE">b</i>').blocks[0]).toEqual({
    kind: 'paragraph',
    text: 'A b',
    line: 4,
  })
  expect(readHtml('<html lang="fr"><p lang="fr">A').blocks[0]?.spans).toBeUndefined()
})

test('an element without a language ends the language around it', () => {
  const { blocks } = readHtml('<div lang="de"><p>Eins<p lang="en">One</div><p>Two')
  expect(blocks.map(({ spans }) => spans)).toEqual([
    [{ text: 'Eins', language: 'de' }],
    [{ text: 'One', language: 'en' }],
    undefined,
  ])
})

test('each span is respelled by the terms of its language', () => {
  const lexicon = createLexicon({ en: { SQL: 'sequel' }, de: { SQL: 'Es-Ku-El' } })
  const [block] = readMarkdown('SQL is <b lang="de">SQL</b>.', { lexicon, language: 'en' }).blocks
  expect(block?.text).toBe('sequel is Es-Ku-El.')
  expect(block?.spans?.map(({ text }) => text)).toEqual(['sequel is', ' Es-Ku-El', '.'])
})
