import type { MarkdownIt, StateBlock, StateInline } from 'markdown-it'
import { isSkipMark } from '../blocks/skip.ts'
import { lineText } from './block-rules.ts'
import { Expressions, tagEnd, withoutExpressions } from './mdx-source.ts'

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
  const columns = (state.sCount[start] ?? 0) - state.blkIndent
  if (silent || columns < 4) return false
  for (let line = start; line < end; line += 1) {
    const own = (state.sCount[line] ?? 0) - state.blkIndent
    if (state.isEmpty(line)) continue
    if (own < columns) break
    const from = state.bMarks[line] ?? 0
    const cut = charactersOf(state.src, from, columns)
    state.bMarks[line] = from + cut
    state.tShift[line] = (state.tShift[line] ?? 0) - cut
    state.sCount[line] = (state.sCount[line] ?? 0) - columns
  }
  return false
}

/** The blanks at an index that fill so many columns: a tab goes to the next multiple of four. */
function charactersOf(source: string, from: number, columns: number): number {
  let at = from
  for (let filled = 0; filled < columns; at += 1) filled += source.charAt(at) === '\t' ? 4 - (filled % 4) : 1
  return at - from
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
