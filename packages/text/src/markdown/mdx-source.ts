const TAG_NAME = /<\/?(?:[A-Za-z_$][\w$.:-]*)?/y
const QUOTES = new Set(['"', "'", '`'])
/** An expression that is one string without quotes, escapes and variables in it. */
const STRING = /^\{\s*(["'`])([^"'`\\${}]*)\1\s*\}$/
/** Longest tag or expression. It limits the cost of an unclosed one. */
const LENGTH_MAX = 20_000

/** Ends of the expressions of a source: `{…}` with balanced braces. */
export class Expressions {
  readonly #source: string
  /** Ends of expressions by their start. An unclosed one is `undefined`. */
  readonly #ends = new Map<number, number | undefined>()
  readonly #lastCommentEnd: number
  readonly #lastHtmlCommentEnd: number

  constructor(source: string) {
    this.#source = source
    this.#lastCommentEnd = source.lastIndexOf('*/')
    this.#lastHtmlCommentEnd = source.lastIndexOf('-->')
  }

  /** The end of the expression at an index, or `undefined`. Braces in strings, templates and comments do not count. */
  end(from: number): number | undefined {
    if (!this.#ends.has(from)) this.#scan(from)
    return this.#ends.get(from)
  }

  /** The end of the HTML comment at an index, or `undefined`. MDX has none, but Svelte's Markdown has. */
  htmlCommentEnd(from: number): number | undefined {
    return from + 4 > this.#lastHtmlCommentEnd ? undefined : this.#source.indexOf('-->', from + 4) + 3
  }

  /**
   * Finds the ends of an expression and of all that begin in it. One scan is twice the longest expression and decides all
   * braces of its first half, so that a text of unclosed braces is read about twice, not once for each brace.
   */
  #scan(from: number): void {
    const source = this.#source
    const open: number[] = []
    const scanEnd = Math.min(source.length, from + 2 * LENGTH_MAX)
    for (let index = from; index < scanEnd; index += 1) {
      const letter = source.charAt(index)
      if (letter === '\\' && QUOTES.has(source.charAt(index + 1))) index += 1
      else if (QUOTES.has(letter)) index = stringEnd(source, index, scanEnd)
      else if (source.startsWith('/*', index)) index = this.#commentEnd(index)
      else if (letter === '{') open.push(index)
      else if (letter === '}') {
        const start = open.pop() ?? from
        this.#ends.set(start, index - start < LENGTH_MAX ? index + 1 : undefined)
        if (open.length === 0) return
      }
    }
    const decided = scanEnd === source.length ? scanEnd : from + LENGTH_MAX
    for (const start of open) if (start <= decided) this.#ends.set(start, undefined)
  }

  #commentEnd(from: number): number {
    return from + 2 > this.#lastCommentEnd ? from : this.#source.indexOf('*/', from + 2) + 1
  }
}

/**
 * The end of the JSX tag at an index, or `undefined`: `<Name a="b" c={d}>`, `</Name>`, `<Name />` or a fragment's `<>`.
 */
export function tagEnd(source: string, from: number, expressions: Expressions): number | undefined {
  TAG_NAME.lastIndex = from
  const name = TAG_NAME.exec(source)?.[0]
  if (name === undefined) return undefined
  let index = from + name.length
  if (!/[\s/>{]/.test(source.charAt(index))) return undefined
  for (; index < source.length && index - from < LENGTH_MAX; index += 1) {
    const letter = source.charAt(index)
    if (letter === '>') return index + 1
    if (letter === '<') return undefined
    if (letter === '{') {
      const end = expressions.end(index)
      if (end === undefined) return undefined
      index = end - 1
    } else if (letter === '"' || letter === "'") {
      const end = source.indexOf(letter, index + 1)
      if (end < 0) return undefined
      index = end
    }
  }
  return undefined
}

/** Empties the expressions of a JSX tag, so it can be read as HTML. A plain string such as `{'text'}` stays. */
export function withoutExpressions(tag: string): string {
  const expressions = new Expressions(tag)
  const out: string[] = []
  let from = 0
  for (let index = 0; index < tag.length; index += 1) {
    const letter = tag.charAt(index)
    if (letter === '"' || letter === "'") {
      index = Math.max(index, tag.indexOf(letter, index + 1))
    } else if (letter === '{') {
      const end = expressions.end(index) ?? tag.length
      const isValue = tag.charAt(index - 1) === '='
      out.push(tag.slice(from, index), isValue ? `"${STRING.exec(tag.slice(index, end))?.[2] ?? ''}"` : '')
      from = end
      index = end - 1
    }
  }
  return out.join('') + tag.slice(from)
}

function stringEnd(source: string, from: number, scanEnd: number): number {
  const quote = source.charAt(from)
  for (let index = from + 1; index < scanEnd; index += 1) {
    const letter = source.charAt(index)
    if (letter === '\\') index += 1
    else if (letter === quote) return index
    // An apostrophe in a comment or in text: the line has no string.
    else if (letter === '\n' && quote !== '`') return from
  }
  return from
}
