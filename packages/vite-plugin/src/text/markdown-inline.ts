import { htmlText } from './html.ts'
import { tidy } from './sentences.ts'

// Text in brackets with one level of brackets inside; an address with one level of parentheses inside, and a title.
const LABEL = String.raw`\[((?:[^[\]]|\[[^[\]]*\])*)\]`
const ADDRESS = String.raw`\(\s*(?:<[^<>\n]*>|(?:[^\s()]|\([^\s()]*\))*)(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\)`

const ESCAPE_OR_CODE = /\\([!-/:-@[-`{-~])|(?<!`)(`+)(?!`)([\s\S]*?[^`])\2(?!`)/g
const AUTOLINK = /<(?:(?:https?:\/\/|mailto:)([^\s<>]+)|([^\s<>@/]+@[^\s<>]+))>/gi
const IMAGE = new RegExp(String.raw`!${LABEL}(?:${ADDRESS}|\[[^\]]*\])`, 'g')
const FOOTNOTE = /\[\^[^\]\s]+\]/g
const LINK = new RegExp(LABEL + ADDRESS, 'g')
const REFERENCE = new RegExp(String.raw`${LABEL}(?:\[([^\]]*)\])?`, 'g')
// Bounded, so that a page full of stray marks takes no quadratic time.
const SPAN = String.raw`(?=\S)([\s\S]{0,1000}?\S)`
const OUTSIDE_WORD = { before: String.raw`(?<![\p{L}\p{N}_])`, after: String.raw`(?![\p{L}\p{N}_])` }
const EMPHASIS = [
  new RegExp(String.raw`\*\*${SPAN}\*\*`, 'g'),
  new RegExp(String.raw`\*${SPAN}\*`, 'g'),
  // Underscores inside a word are part of it.
  new RegExp(`${OUTSIDE_WORD.before}__${SPAN}__${OUTSIDE_WORD.after}`, 'gu'),
  new RegExp(`${OUTSIDE_WORD.before}_${SPAN}_${OUTSIDE_WORD.after}`, 'gu'),
  new RegExp(`~~${SPAN}~~`, 'g'),
]

/** A link label as references are compared: case and spacing do not count. */
export function normalizeLabel(label: string): string {
  return tidy(label).toLowerCase()
}

/**
 * The speakable text of one Markdown block.
 * @param references Labels that are defined somewhere, by {@link normalizeLabel}; other brackets are text.
 */
export function inlineText(markdown: string, references: ReadonlySet<string>): string {
  const kept: string[] = []
  // Escaped characters, code and addresses are put aside, so that nothing in them is taken for markup.
  const keep = (text: string): string => `\uE000${kept.push(text) - 1}\uE001`
  let text = markdown
    .replace(ESCAPE_OR_CODE, (_, escaped?: string, _ticks?: string, code?: string) => keep(escaped ?? tidy(code ?? '')))
    .replace(AUTOLINK, (_, address?: string, email?: string) => keep(address ?? email ?? ''))
    .replace(IMAGE, '$1')
    .replace(FOOTNOTE, '')
    .replace(LINK, '$1')
    .replace(REFERENCE, (whole: string, label: string, reference?: string) =>
      references.has(normalizeLabel(reference || label)) ? label : whole,
    )
  for (const mark of EMPHASIS) text = text.replace(mark, '$1')
  return htmlText(text).replace(/\uE000(\d+)\uE001/g, (_, index: string) => kept[Number(index)] ?? '')
}
