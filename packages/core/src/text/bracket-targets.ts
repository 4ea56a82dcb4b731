import { LABEL_MAX, normalizeLabel } from './link-definitions.ts'

/** White space that is skipped beside a link's address, in characters: more is not written, and would cost time. */
const SPACE_MAX = 100

/** What follows a closing bracket: `(address "title")` or `[label]`. Looks at each character of a paragraph once. */
export class BracketTargets {
  readonly #text: string
  readonly #definitions: ReadonlySet<string>
  #closing: ReadonlyMap<number, number> | undefined
  /** The place of each mark that was looked for last. */
  readonly #found = new Map<string, number>()

  constructor(text: string, definitions: ReadonlySet<string>) {
    this.#text = text
    this.#definitions = definitions
  }

  /** Where a link ends whose text is closed at `close`; `undefined` where it is none. */
  endOf(open: number, close: number): number | undefined {
    const next = this.#text.charAt(close + 1)
    if (next === '(') return this.#inlineEnd(close + 1)
    if (this.#definitions.size === 0) return undefined
    if (next === '[') {
      const end = this.#find(']', close + 2)
      const from = end === close + 2 ? open : close + 2
      return this.#defines(from, end === close + 2 ? close : end) ? end + 1 : undefined
    }
    return this.#defines(open, close) ? close + 1 : undefined
  }

  #defines(from: number, end: number): boolean {
    return end - from <= LABEL_MAX && this.#definitions.has(normalizeLabel(this.#text.slice(from, end)))
  }

  #inlineEnd(open: number): number | undefined {
    this.#closing ??= closingParens(this.#text)
    const close = this.#closing.get(open)
    if (close === undefined) return undefined
    const start = open + 1 + leadingSpace(this.#text.slice(open + 1, open + 1 + SPACE_MAX))
    const space = this.#text.charAt(start) === '<' ? this.#find('>', start) + 1 : this.#find('\\s', start)
    if (space >= close) return close + 1
    const titleAt = space + leadingSpace(this.#text.slice(space, space + SPACE_MAX))
    if (titleAt >= close) return close + 1
    const last = this.#text
      .slice(Math.max(titleAt, close - SPACE_MAX), close)
      .trimEnd()
      .slice(-1)
    const quote = this.#text.charAt(titleAt)
    return /["'(]/.test(quote) && last === (quote === '(' ? ')' : quote) ? close + 1 : undefined
  }

  /**
   * The next `mark`, or the end of the text. Places are asked for in rising order, so that what was found serves every
   * place before it.
   */
  #find(mark: ']' | '>' | '\\s', from: number): number {
    const known = this.#found.get(mark) ?? -1
    if (known >= from) return known
    const pattern = new RegExp(mark, 'g')
    pattern.lastIndex = from
    const found = pattern.exec(this.#text)?.index ?? this.#text.length
    this.#found.set(mark, found)
    return found
  }
}

function leadingSpace(text: string): number {
  return text.length - text.trimStart().length
}

/** Where each `(` of a text is closed. */
function closingParens(text: string): ReadonlyMap<number, number> {
  const closing = new Map<number, number>()
  const open: number[] = []
  for (const { index, 0: token } of text.matchAll(/\\[()\\]|[()]/g)) {
    if (token === '(') open.push(index)
    const opened = token === ')' ? open.pop() : undefined
    if (opened !== undefined) closing.set(opened, index)
  }
  return closing
}
