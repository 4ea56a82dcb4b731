import { expect, test } from 'vitest'
import { extractText, type SourceKind, sourceKind } from './extract-text.ts'

test.each<[file: string, kind: SourceKind | undefined]>([
  ['/a/b.md', 'markdown'],
  ['/a/b.MARKDOWN', 'markdown'],
  ['/a/b.html', 'html'],
  ['/a/b.htm', 'html'],
  ['/a/b.c.txt', 'plain'],
  ['/a/b.css', undefined],
  ['/a.md/b', undefined],
  ['/a/constructor', undefined],
  ['/a/b.constructor', undefined],
])('%s is %s', (file, kind) => {
  expect(sourceKind(file)).toBe(kind)
})

test('plain text is said as it stands', () => {
  expect(extractText('\uFEFF  *One*\r\n\r\nTwo &amp; <b>\r', 'plain')).toBe('*One*\n\nTwo &amp; <b>')
})

test('line ends and a byte order mark make no difference', () => {
  expect(extractText('\uFEFF---\r\na: b\r\n---\r\n# One\r\rTwo', 'markdown')).toBe('One.\n\nTwo')
})

const MADE_TO_BE_SLOW = [
  ['[', '[a', '![](a ', '[](a "', '[a]: '],
  ['<a ', '<a "', '<!--', '&#'],
  ['*a ', '**a ', '_a ', '~~a ', '`', '` `` '],
  ['- ', '* * x', '> ', '|-'],
].flat()

test.each(MADE_TO_BE_SLOW)('a source of nothing but %j is read in time', (pattern) => {
  // in quadratic time, this size would take longer than a test may
  const source = pattern.repeat(300_000 / pattern.length)
  for (const kind of ['markdown', 'html'] as const) expect(extractText(source, kind).length).toBeLessThan(400_000)
})
