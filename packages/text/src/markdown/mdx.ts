import type { MarkdownIt, StateBlock, StateInline } from 'markdown-it'
import { isSkipMark } from '../blocks/skip.ts'
import { columnsOf, dedent, lineText } from './block-rules.ts'

const MODULE =
  /^(?:import\s*(?:['"{*]|[\w$]+\s*(?:,\s*[{*]|from\s*['"]))|export\s+(?:default\b|(?:const|let|var|function|async|class|type|interface|enum)\s|\{|\*))/
/** An expression that is only a comment. */
const COMMENT = /^\{\s*\/\*([^*]*)\*\/\s*\}$/
const OPENING = /[([{]/g
const CLOSING = /[)\]}]/g
/** Expressions of the sources that are being parsed. */
const expressionsOf = new WeakMap<StateBlock | StateInline, Expressions>()

/** MDX has no HTML blocks, no indented code and no `<address>`; it has modules, JSX and expressions. */
export function addMdxRules(parser: MarkdownIt): void {
  parser.block.ruler.disable(['code', 'html_block'])
  parser.inline.ruler.disable(['autolink', 'html_inline'])
  const alt = ['paragraph', 'reference', 'blockquote', 'list']
  parser.block.ruler.before('table', 'mdx_indent', indented)
  parser.block.ruler.before('fence', 'mdx_module', module)
  parser.block.ruler.before('fence', 'mdx_jsx', jsxBlock, { alt })
  parser.inline.ruler.before('escape', 'mdx', jsxInline)
}

/** `import` and `export` statements, up to the empty line after their last bracket. */
function module(state: StateBlock, start: number, end: number, silent: boolean): boolean {
  if (state.level > 0 || state.tShift[start] !== 0 || !MODULE.test(lineText(state, start))) return false
  if (silent) return true
  let depth = 0
  let line = start
  for (; line < end && (depth > 0 || !state.isEmpty(line)); line += 1) {
    const code = lineText(state, line).replaceAll(/'[^'\n]*'|"[^"\n]*"|`[^`\n]*`/g, '')
    depth += count(code, OPENING) - count(code, CLOSING)
  }
  // An unclosed statement ends with its paragraph.
  if (depth > 0) for (line = start; line < end && !state.isEmpty(line);) line += 1
  state.line = line
  return true
}

/**
 * Takes the indentation of four and more columns from a block: content of a component is indented, and MDX has no code that
 * is. Other rules then read its lists and headings.
 */
function indented(state: StateBlock, start: number, end: number, silent: boolean): boolean {
  const columns = columnsOf(state, start)
  if (silent || columns < 4) return false
  for (let line = start; line < end; line += 1) {
    if (state.isEmpty(line)) continue
    if (columnsOf(state, line) < columns) break
    dedent(state, line, columns)
  }
  return false
}

/** A tag or an expression that ends its line. Its content on other lines is Markdown. */
function jsxBlock(state: StateBlock, start: number, end: number, silent: boolean): boolean {
  let position = (state.bMarks[start] ?? 0) + (state.tShift[start] ?? 0)
  const first = state.src.charAt(position)
  if (first !== '<' && first !== '{') return false
  const last = state.eMarks[end - 1] ?? 0
  const parts: { readonly tag: string }[] = []
  for (;;) {
    const found = partEnd(state, position)
    if (found === undefined || found > last) return false
    parts.push({ tag: state.src.slice(position, found) })
    position = found
    while (/[ \t]/.test(state.src.charAt(position))) position += 1
    if (position >= last || state.src.charAt(position) === '\n') break
    if (!/[<{]/.test(state.src.charAt(position))) return false
  }
  if (silent) return true
  let line = start
  while (line < end && (state.bMarks[line] ?? 0) < position) line += 1
  state.line = line
  for (const { tag } of parts) {
    const html = htmlOf(tag)
    if (html !== '') state.push('html_block', '', 0).content = html
  }
  return true
}

function jsxInline(state: StateInline, silent: boolean): boolean {
  const first = state.src.charAt(state.pos)
  if (first !== '<' && first !== '{') return false
  const end = partEnd(state, state.pos)
  if (end === undefined || end > state.posMax) return false
  if (!silent) {
    const html = htmlOf(state.src.slice(state.pos, end))
    state.push(html === '' ? 'left_out' : 'html_inline', '', 0).content = html
  }
  state.pos = end
  return true
}

/** The end of the tag or expression at an index, or `undefined`. */
function partEnd(state: StateBlock | StateInline, from: number): number | undefined {
  const expressions = expressionsOf.get(state) ?? new Expressions(state.src)
  expressionsOf.set(state, expressions)
  if (state.src.startsWith('<!--', from)) return expressions.htmlCommentEnd(from)
  return state.src.charAt(from) === '{' ? expressions.end(from) : tagEnd(state.src, from, expressions)
}

/** A tag or an expression as HTML. An expression is nothing, but for a comment that begins or ends a skipped part. */
function htmlOf(part: string): string {
  if (part.startsWith('<!--')) return part
  // a fragment
  if (/^<\/?\s*>$/.test(part)) return ''
  if (part.startsWith('<')) return withoutExpressions(part)
  const comment = COMMENT.exec(part)?.[1] ?? ''
  return isSkipMark(comment) ? `<!--${comment}-->` : ''
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}

const TAG_NAME = /<\/?(?:[A-Za-z_$][\w$.:-]*)?/y
const QUOTES = new Set(['"', "'", '`'])
/** An expression that is one string without quotes, escapes and variables in it. */
const STRING = /^\{\s*(["'`])([^"'`\\${}]*)\1\s*\}$/
/** Longest tag or expression. It limits the cost of an unclosed one. */
const LENGTH_MAX = 20_000

/** Ends of the expressions of a source: `{…}` with balanced braces. */
class Expressions {
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
function tagEnd(source: string, from: number, expressions: Expressions): number | undefined {
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
function withoutExpressions(tag: string): string {
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
