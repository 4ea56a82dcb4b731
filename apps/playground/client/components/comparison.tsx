import { toCardinal, toOrdinal } from 'n2words/en-US'
import { Fragment, type ReactElement } from 'react'
import { formatPercent } from '../lib/format.ts'

/** A transcript with its wrong words marked. */
export function Compared({ comparison }: { readonly comparison: Comparison }): ReactElement {
  return (
    <>
      {comparison.groups.map(({ same, said, heard }, index) => (
        // The groups of one transcript never move.
        // oxlint-disable-next-line react/no-array-index-key
        <Fragment key={index}>
          {same ? (
            heard
          ) : (
            <span className="difference">
              {said !== '' && <del>{said}</del>}
              {said !== '' && heard !== '' && ' '}
              {heard !== '' && <ins>{heard}</ins>}
            </span>
          )}{' '}
        </Fragment>
      ))}
    </>
  )
}

/** Highest word error rate that counts as good. */
const GOOD_RATE = 0.15

/** The tone of a word error rate. */
export function toneOf({ rate }: Comparison): 'good' | 'bad' {
  return rate <= GOOD_RATE ? 'good' : 'bad'
}

/** The word error rate of a transcript. */
export function ErrorRate({ comparison }: { readonly comparison: Comparison }): ReactElement {
  return <strong data-tone={toneOf(comparison)}>{formatPercent(comparison.rate)}</strong>
}

/** Consecutive words of a comparison that are all the same, or all different. */
interface WordGroup {
  readonly same: boolean
  /** As written. Empty for words that were only heard. */
  readonly said: string
  /** As written. Empty for words that are missing. */
  readonly heard: string
}

/** A transcript beside the spoken text. */
export interface Comparison {
  readonly groups: readonly WordGroup[]
  /** Fewest insertions, deletions and replacements of words. */
  readonly errors: number
  /** Spoken words. */
  readonly words: number
  /** Errors per spoken word. 0 is perfect. */
  readonly rate: number
}

/** A word, and the token of the text that it comes from: `7:45` is one token of three words. */
interface Word {
  readonly plain: string
  readonly token: number
}

interface Words {
  readonly tokens: readonly string[]
  readonly words: readonly Word[]
}

interface Pair {
  readonly said: Word | undefined
  readonly heard: Word | undefined
}

/**
 * Aligns a transcript with the spoken text, with the fewest differences. Case and punctuation do not count, and numbers
 * count as they are spoken: "seven forty-five" is `7:45`. Pause markers are not spoken.
 */
export function compareTexts(said: string, heard: string): Comparison {
  const from = wordsOf(said.replaceAll(/\[pause [\d.]+s\]/g, ' '))
  const to = wordsOf(heard)
  const pairs = align(from.words, to.words)
  const errors = pairs.filter((pair) => !isSame(pair)).length
  const words = from.words.length
  const rate = words === 0 ? (errors === 0 ? 0 : 1) : errors / words
  return { groups: groupsOf(pairs, from.tokens, to.tokens), errors, words, rate }
}

function wordsOf(text: string): Words {
  const tokens: string[] = []
  const words: Word[] = []
  for (const token of text.split(/\s+/)) {
    const heard = spokenWords(token)
    for (const plain of heard) words.push({ plain, token: tokens.length })
    if (heard.length > 0) tokens.push(token)
  }
  return { tokens, words }
}

function spokenWords(token: string): string[] {
  const bare = token.normalize('NFKC').replaceAll(/^[^\p{L}\p{N}$€£]+|[^\p{L}\p{N}%]+$/gu, '')
  return numberWords(bare)
    .toLowerCase()
    .replaceAll(/[‘’]/g, "'")
    .split(/[\s\-–—/]+/)
    .map((word) => word.replaceAll(/[^\p{L}\p{N}']|^'+|'+$/gu, ''))
    .filter((word) => word !== '')
}

function isSame({ said, heard }: Pair): boolean {
  return said !== undefined && heard !== undefined && said.plain === heard.plain
}

/** Groups hold whole tokens: a number is one of them, or it is not. */
function groupsOf(pairs: readonly Pair[], said: readonly string[], heard: readonly string[]): WordGroup[] {
  const units: { same: boolean; said: Set<number>; heard: Set<number> }[] = []
  for (const pair of pairs) {
    const last = units.at(-1)
    const goesOn =
      last !== undefined &&
      ((pair.said !== undefined && last.said.has(pair.said.token)) ||
        (pair.heard !== undefined && last.heard.has(pair.heard.token)))
    const unit = goesOn ? last : { same: true, said: new Set<number>(), heard: new Set<number>() }
    if (!goesOn) units.push(unit)
    unit.same &&= isSame(pair)
    if (pair.said !== undefined) unit.said.add(pair.said.token)
    if (pair.heard !== undefined) unit.heard.add(pair.heard.token)
  }
  const groups: { same: boolean; said: string[]; heard: string[] }[] = []
  for (const unit of units) {
    const last = groups.at(-1)
    const group = last?.same === unit.same ? last : { same: unit.same, said: [], heard: [] }
    if (group !== last) groups.push(group)
    group.said.push(...[...unit.said].map((token) => said[token] ?? ''))
    group.heard.push(...[...unit.heard].map((token) => heard[token] ?? ''))
  }
  return groups.map((group) => ({ same: group.same, said: group.said.join(' '), heard: group.heard.join(' ') }))
}

function align(from: readonly Word[], to: readonly Word[]): Pair[] {
  const costs = distances(from, to)
  const pairs: Pair[] = []
  let row = from.length
  let column = to.length
  while (row > 0 || column > 0) {
    const here = costs[row]?.[column] ?? 0
    const both = { said: from[row - 1], heard: to[column - 1] }
    if (row > 0 && column > 0 && here === (costs[row - 1]?.[column - 1] ?? 0) + (isSame(both) ? 0 : 1)) {
      pairs.push(both)
      row -= 1
      column -= 1
    } else if (row > 0 && here === (costs[row - 1]?.[column] ?? 0) + 1) {
      pairs.push({ said: both.said, heard: undefined })
      row -= 1
    } else {
      pairs.push({ said: undefined, heard: both.heard })
      column -= 1
    }
  }
  return pairs.toReversed()
}

/** `table[i][j]`: fewest differences between the first i words of one text and the first j words of the other. */
function distances(from: readonly Word[], to: readonly Word[]): Uint32Array[] {
  const table = [Uint32Array.from({ length: to.length + 1 }, (_, column) => column)]
  for (const [row, said] of from.entries()) {
    const above = table[row] ?? new Uint32Array(0)
    const line = new Uint32Array(to.length + 1)
    line[0] = row + 1
    for (const [column, heard] of to.entries()) {
      const replaced = (above[column] ?? 0) + (said.plain === heard.plain ? 0 : 1)
      line[column + 1] = Math.min(replaced, (above[column + 1] ?? 0) + 1, (line[column] ?? 0) + 1)
    }
    table.push(line)
  }
  return table
}

/** Largest number that is written out. Longer ones are read digit by digit. */
const LIMIT = 1_000_000_000_000

const UNITS: Readonly<Record<string, string>> = { '%': 'percent', $: 'dollars', '€': 'euros', '£': 'pounds' }

/**
 * Writes the numbers of a token as a speaker says them, in English: `7:45` is "seven forty-five", `1,234` "one thousand
 * two hundred thirty-four", `2nd` "second", `$5` "five dollars". Any other token stays as it is.
 */
export function numberWords(token: string): string {
  const [, hours, minutes = ''] = /^(\d{1,2}):(\d{2})$/.exec(token) ?? []
  if (hours !== undefined) return clock(toCardinal(hours), Number(minutes))
  const ordinal = /^(\d+)(?:st|nd|rd|th)$/i.exec(token)?.[1]
  if (ordinal !== undefined) return Number(ordinal) === 0 ? 'zeroth' : toOrdinal(ordinal)
  const number = /^([$€£]?)(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(%?)$/.exec(token)
  if (number === null) return token
  const [, before = '', whole = '', decimals = '', after = ''] = number
  const plain = whole.replaceAll(',', '')
  const words = Number(plain) >= LIMIT ? digits(plain) : [toCardinal(plain)]
  return [...words, ...digits(decimals), UNITS[before] ?? UNITS[after] ?? ''].join(' ').trim()
}

function clock(hours: string, minutes: number): string {
  if (minutes === 0) return hours
  return `${hours} ${minutes < 10 ? 'oh ' : ''}${toCardinal(minutes)}`
}

function digits(text: string): string[] {
  return Array.from(text, (sign) => (sign === '.' ? 'point' : toCardinal(sign)))
}
