import type { MarkdownIt, StateBlock } from 'markdown-it'

/**
 * A rule for blocks. It takes lines from `start` on, or returns `false`. With `silent` it only reports whether it
 * would.
 */
export type BlockRule = (state: StateBlock, start: number, end: number, silent: boolean) => boolean

/** Containers of documentation sites, `::: tip Title`. */
const CONTAINER = /^:{3,}[ \t]*([\w-]*)[ \t]*(.*?)[ \t]*:*$/
/** Tables of contents, the colons that close a container, and VitePress's `<<< file`, which shows code. */
const NOTHING = /^(?:<<<[ \t]*[@./\w][^<>\n]*|\[\[_?toc_?\]\]|\[toc\]|\{:toc\}|:{3,}|\{[:%][^{}\n]*%?\})$/i
const ABBREVIATION = /^\*\[([^\]]+)\]:[ \t]*(.*)$/

/** The text of a line within its containers. */
export function lineText(state: StateBlock, line: number): string {
  return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line] ?? 0)
}

/** Adds the rules for extensions of CommonMark. */
export function addBlockRules(parser: MarkdownIt): void {
  const alt = ['paragraph', 'reference', 'blockquote', 'list']
  parser.block.ruler.before('fence', 'directive', directive, { alt })
  parser.block.ruler.before('fence', 'abbreviation', abbreviation, { alt })
  parser.block.ruler.before('fence', 'math', math, { alt })
}

function directive(state: StateBlock, start: number, _end: number, silent: boolean): boolean {
  const text = lineText(state, start).trimEnd()
  if (NOTHING.test(text)) {
    if (!silent) state.line = start + 1
    return true
  }
  const [container, , title = ''] = CONTAINER.exec(text) ?? []
  if (container === undefined) return false
  if (silent) return true
  state.line = start + 1
  const shown = title
    .replaceAll(/\{[^{}]*\}/g, '')
    .replace(/^\[(.*)\]$/, '$1')
    .trim()
  if (shown !== '') pushParagraph(state, shown, start)
  return true
}

function pushParagraph(state: StateBlock, content: string, line: number): void {
  state.push('paragraph_open', 'p', 1).map = [line, line + 1]
  const inline = state.push('inline', '', 0)
  inline.content = content
  inline.map = [line, line + 1]
  inline.children = []
  state.push('paragraph_close', 'p', -1)
}

/** `*[HTML]: Hyper Text Markup Language`: the definition is not spoken, but may expand the abbreviation elsewhere. */
function abbreviation(state: StateBlock, start: number, _end: number, silent: boolean): boolean {
  const [whole, term = '', meaning = ''] = ABBREVIATION.exec(lineText(state, start)) ?? []
  if (whole === undefined) return false
  if (silent) return true
  state.line = start + 1
  const token = state.push('abbreviation', '', 0)
  token.meta = { term: term.trim(), meaning: meaning.trim() }
  return true
}

/** `$$` or `\[` up to its closing mark, on one or more lines. */
function math(state: StateBlock, start: number, end: number, silent: boolean): boolean {
  const first = lineText(state, start).trimEnd()
  const open = first.startsWith('$$') ? '$$' : first.startsWith('\\[') ? '\\[' : undefined
  if (open === undefined) return false
  const close = open === '$$' ? '$$' : '\\]'
  const lines: string[] = []
  for (let line = start; line < end; line += 1) {
    const text = line === start ? first.slice(2) : lineText(state, line).trimEnd()
    // A formula has no empty line. An opening mark without an end therefore costs one paragraph's time.
    if (line > start && text === '') return false
    const at = text.indexOf(close)
    if (at >= 0 && text.slice(at + 2).trim().length > 0) return false
    lines.push(at < 0 ? text : text.slice(0, at))
    if (at < 0) continue
    if (silent) return true
    state.line = line + 1
    const token = state.push('formula', '', 0)
    token.content = lines.join('\n')
    token.map = [start, line + 1]
    token.block = true
    return true
  }
  return false
}
