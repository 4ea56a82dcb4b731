import { BracketTargets } from './bracket-targets.ts'
import { Delimiters } from './delimiters.ts'
import { entityAt, tagAt } from './html.ts'
import { joinParts, LEFT_OUT, type Part } from './parts.ts'
import type { SpeakableOptions } from './speakable-options.ts'
import { hostOf, urlAt } from './spoken-url.ts'

const PICTURE = '(?![©®™‼⁉ℹ〰〽\\u2194-\\u21AA])\\p{Extended_Pictographic}'
const TAIL = '[\\uFE0F\\u20E3\\u{1F3FB}-\\u{1F3FF}\\u{E0020}-\\u{E007F}]*'
const EMOJI = `\\p{Regional_Indicator}{1,2}|(?:${PICTURE})${TAIL}(?:\\u200D(?:${PICTURE})${TAIL})*`
const ADDRESS = '(?<![A-Za-z\\d])(?:(?:https?|ftp|wss?)://|www\\.)(?=[\\p{L}\\p{N}])'
const MARKUP = '\\\\|`+|\\*+|_+|~+|!?\\[|\\]|<|&|\\uFE0F?\\u20E3'

/** Found in every text that {@link InlineText} changes. */
export const INLINE_MARKUP: RegExp = new RegExp(`${MARKUP}|${ADDRESS}|${EMOJI}`, 'iu')

/** Emphasis, links, code and the like in one paragraph, in one pass. */
export class InlineText {
  readonly #text: string
  readonly #options: SpeakableOptions
  readonly #parts: Part[] = []
  readonly #delimiters: Delimiters
  readonly #targets: BracketTargets
  /** Brackets that are open: where they stand in the text and among the parts. */
  readonly #open: { readonly at: number; readonly part: number }[] = []
  readonly #next = new RegExp(`${MARKUP}|(?<url>${ADDRESS})|(?<emoji>${EMOJI})`, 'giu')
  /** Where the search for something that is not there began. */
  readonly #absent = new Set<string>()
  /** Places of the runs of backticks, by their length, the last one first. */
  #ticks: Map<number, number[]> | undefined

  constructor(text: string, options: SpeakableOptions, definitions: ReadonlySet<string>) {
    this.#text = text
    this.#options = options
    this.#delimiters = new Delimiters(text, this.#parts)
    this.#targets = new BracketTargets(text, definitions)
  }

  convert(): string {
    let from = 0
    for (;;) {
      this.#next.lastIndex = from
      const match = this.#next.exec(this.#text)
      this.#parts.push(this.#text.slice(from, match?.index))
      if (match === null) return joinParts(this.#parts)
      from = this.#token(match)
    }
  }

  /** Takes one token. @returns Where the text goes on. */
  #token(match: RegExpExecArray): number {
    const [token] = match
    const end = match.index + token.length
    if (match.groups?.['url'] !== undefined) return this.#url(match.index)
    if (match.groups?.['emoji'] !== undefined) return this.#keep(this.#options.emoji === 'keep' ? token : LEFT_OUT, end)
    switch (token.charAt(0)) {
      case '\\':
        return this.#escape(end)
      case '`':
        return this.#code(match.index, token.length)
      case '*':
      case '_':
      case '~':
        this.#delimiters.add(match.index, token)
        return end
      case '!':
      case '[':
        return this.#bracket(match.index, end, token)
      case ']':
        return this.#close(match.index)
      case '<':
        return this.#angle(match.index)
      case '&': {
        const entity = entityAt(this.#text, match.index)
        return entity === undefined ? this.#keep(token, end) : this.#keep(entity.text, match.index + entity.length)
      }
      default:
        // What makes a keycap of a digit, which stays.
        return this.#options.emoji === 'keep' ? this.#keep(token, end) : end
    }
  }

  #keep(part: Part, end: number): number {
    this.#parts.push(part)
    return end
  }

  #escape(end: number): number {
    const next = this.#text.charAt(end)
    if (/[!-/:-@[-`{-~]/.test(next)) return this.#keep(next, end + 1)
    return /[\r\n]/.test(next) ? end : this.#keep('\\', end)
  }

  #code(start: number, length: number): number {
    this.#ticks ??= ticksOf(this.#text)
    const places = this.#ticks.get(length) ?? []
    while ((places.at(-1) ?? Infinity) <= start) places.pop()
    const close = places.at(-1)
    if (close === undefined) return this.#keep('`'.repeat(length), start + length)
    if (this.#options.inlineCode === 'skip') return this.#keep(LEFT_OUT, close + length)
    return this.#keep(unpadded(this.#text.slice(start + length, close)), close + length)
  }

  #bracket(start: number, end: number, token: string): number {
    const whole = /\[pause \d+(?:\.\d+)?s\]/y
    whole.lastIndex = end - 1
    if (whole.test(this.#text)) return this.#keep(this.#text.slice(start, whole.lastIndex), whole.lastIndex)
    const footnote = /\[\^[^\]\s]{1,64}\]/y
    footnote.lastIndex = start
    if (footnote.test(this.#text)) return this.#keep(LEFT_OUT, footnote.lastIndex)
    this.#open.push({ at: end, part: this.#parts.length })
    return this.#keep(token, end)
  }

  #close(at: number): number {
    const open = this.#open.pop()
    const end = open === undefined ? undefined : this.#targets.endOf(open.at, at)
    if (open === undefined || end === undefined) return this.#keep(']', at + 1)
    this.#parts[open.part] = open.at === at ? LEFT_OUT : ''
    return end
  }

  #angle(start: number): number {
    const link = /<([^\s<>]+)>/y
    link.lastIndex = start
    const address = link.exec(this.#text)?.[1]?.replace(/^mailto:/i, '') ?? ''
    if (/^(?:https?|ftp):\/\//i.test(address)) return this.#address(address, link.lastIndex)
    if (/^[^@]{1,64}@[^@]{1,255}$/.test(address)) return this.#keep(address, link.lastIndex)
    if (this.#text.startsWith('<!--', start)) return this.#until('-->', start, start + 4) ?? this.#keep('<', start + 1)
    const tag = tagAt(this.#text, start)
    if (tag === undefined) return this.#keep('<', start + 1)
    const end = start + tag.length
    if (tag.unspokenUntil !== undefined) return this.#until(tag.unspokenUntil, start, end) ?? this.#keep(LEFT_OUT, end)
    const inLine =
      tag.breaks && !/^[\r\n]?$/.test(this.#text.charAt(end)) && !/^[\r\n]?$/.test(this.#text.charAt(start - 1))
    return this.#keep(inLine ? '\n' : tag.breaks ? LEFT_OUT : '', end)
  }

  /** Leaves out what ends with `mark`, if it does. */
  #until(mark: string, start: number, from: number): number | undefined {
    if (this.#absent.has(mark)) return undefined
    const end = this.#text.indexOf(mark, from)
    if (end < 0) this.#absent.add(mark)
    return end < start ? undefined : this.#keep(LEFT_OUT, end + mark.length)
  }

  #url(start: number): number {
    const url = urlAt(this.#text, start)
    return this.#address(url, start + url.length)
  }

  #address(url: string, end: number): number {
    const { urls = 'host' } = this.#options
    return this.#keep(urls === 'read' ? url : urls === 'skip' ? LEFT_OUT : hostOf(url), end)
  }
}

function ticksOf(text: string): Map<number, number[]> {
  const places = new Map<number, number[]>()
  for (const { index, 0: run } of text.matchAll(/`+/g)) {
    const same = places.get(run.length)
    if (same === undefined) places.set(run.length, [index])
    else same.push(index)
  }
  for (const same of places.values()) same.reverse()
  return places
}

/** One space on each side belongs to the marks, as it does where code begins with a backtick. */
function unpadded(code: string): string {
  return code.startsWith(' ') && code.endsWith(' ') && code.trim() !== '' ? code.slice(1, -1) : code
}
