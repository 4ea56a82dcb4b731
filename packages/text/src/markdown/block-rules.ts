import type { MarkdownIt, StateBlock, Token } from 'markdown-it'

/**
 * A rule for blocks. It takes lines from `start` on, or returns `false`. With `silent` it only reports whether it
 * would.
 */
export type BlockRule = (state: StateBlock, start: number, end: number, silent: boolean) => boolean

/** Containers of documentation sites, `::: tip Title`. */
const CONTAINER = /^:{3,}[ \t]*([\w-]*)[ \t]*(.*?)[ \t]*:*$/
/** Tables of contents, the colons that close a container, and VitePress's `<<< file`, which shows code. */
const NOTHING = /^(?:<<<[ \t]*[@./\w][^<>\n]*|\[\[_?toc_?\]\]|\[toc\]|\{:toc\}|:{3,}|\{[:%][^{}\n]*%?\})$/i
/** An included file: of VuePress, of its older plugin, of MkDocs with snippets, and of MkDocs with its include plugin. */
const INCLUDED =
  /^(?:@(?:include|\[code[^\]\n]*\])[ \t]*\([^()\n]*\)|!!!include\([^()\n]*\)!!!|;?-+8<-+(?:[ \t]+(?:"[^"\n]*"|'[^'\n]*'))?|\{![^{}\n]*!\})$/
/** MkDocs: `!!! note "Title"` and `??? note`, whose content is indented, and `=== "Tab"`. */
const ADMONITION = /^(?:!!!|\?\?\?\+?)[ \t]+[\w-]+(?:[ \t]+[\w-]+)*(?:[ \t]+"([^"\n]*)")?$/
const TAB = /^===[!+]?[ \t]+"([^"\n]+)"$/
/** Columns that the content of these is indented by. */
const CONTENT_COLUMNS = 4
const ABBREVIATION = /^\*\[([^\]]+)\]:[ \t]*(.*)$/

/** The text of a line within its containers. */
export function lineText(state: StateBlock, line: number): string {
  return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line] ?? 0)
}

/** Adds the rules for extensions of CommonMark. */
export function addBlockRules(parser: MarkdownIt): void {
  const alt = ['paragraph', 'reference', 'blockquote', 'list']
  parser.block.ruler.before('table', 'indented_content', indentedContent, { alt })
  parser.block.ruler.before('fence', 'directive', directive, { alt })
  parser.block.ruler.before('fence', 'abbreviation', abbreviation, { alt })
  parser.block.ruler.before('fence', 'math', math, { alt })
}

function directive(state: StateBlock, start: number, _end: number, silent: boolean): boolean {
  const text = lineText(state, start).trimEnd()
  if (NOTHING.test(text) || INCLUDED.test(text)) {
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

/** A block of MkDocs: its title, and its content without the indentation, so that other rules read it. */
function indentedContent(state: StateBlock, start: number, end: number, silent: boolean): boolean {
  const text = lineText(state, start).trimEnd()
  const [block, title = ''] = TAB.exec(text) ?? ADMONITION.exec(text) ?? []
  if (block === undefined || !isIndented(state, start + 1, end)) return false
  if (silent) return true
  for (let line = start + 1; line < end; line += 1) {
    if (state.isEmpty(line)) continue
    if (columnsOf(state, line) < CONTENT_COLUMNS) break
    dedent(state, line, CONTENT_COLUMNS)
  }
  state.line = start + 1
  if (title.trim() !== '') pushParagraph(state, title.trim(), start)
  return true
}

/** Whether the next line with text is content of a block. Without content, the line before it is text. */
function isIndented(state: StateBlock, start: number, end: number): boolean {
  let line = start
  while (line < end && state.isEmpty(line)) line += 1
  return line < end && columnsOf(state, line) >= CONTENT_COLUMNS
}

/** How far a line is indented in its container. */
export function columnsOf(state: StateBlock, line: number): number {
  return (state.sCount[line] ?? 0) - state.blkIndent
}

/** Removes columns of indentation from a line. */
export function dedent(state: StateBlock, line: number, columns: number): void {
  const from = state.bMarks[line] ?? 0
  let at = from
  // A tab goes to the next multiple of four.
  for (let filled = 0; filled < columns; at += 1) filled += state.src.charAt(at) === '\t' ? 4 - (filled % 4) : 1
  state.bMarks[line] = at
  state.tShift[line] = (state.tShift[line] ?? 0) - (at - from)
  state.sCount[line] = (state.sCount[line] ?? 0) - columns
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

/** Blocks of raw HTML that end with their own mark, not with an empty line. */
const LONG_HTML: readonly (readonly [start: RegExp, end: RegExp])[] = [
  [/^<(?:script|pre|style|textarea)(?=[\s>]|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^<!--/, /-->/],
  [/^<\?/, /\?>/],
  [/^<![A-Z]/i, />/],
  [/^<!\[CDATA\[/, /\]\]>/],
]

/** Facts about a document during parsing. */
interface Facts {
  /** Shortest unclosed fences, by mark and container. */
  readonly unclosedFences: Map<string, number>
  /** Position of the last end mark of each kind. */
  readonly lastMarks: Map<string, number>
}

const facts = new WeakMap<object, Facts>()

function factsOf({ env }: StateBlock): Facts {
  const known = facts.get(env) ?? { unclosedFences: new Map(), lastMarks: new Map() }
  facts.set(env, known)
  return known
}

/**
 * Wraps the rules that would take the rest of a document after an unclosed mark. CommonMark reads to the end of the
 * document. Speakable text must not lose the text after a forgotten mark.
 */
export function guardBlockRules(parser: MarkdownIt): void {
  const alt = ['paragraph', 'reference', 'blockquote', 'list']
  wrap(parser, 'fence', guardFence, alt)
  wrap(parser, 'html_block', guardHtml, alt.slice(0, 3))
  wrap(parser, 'reference', guardReference, [])
}

function wrap(parser: MarkdownIt, name: string, guard: (rule: BlockRule) => BlockRule, alt: string[]): void {
  const { ruler } = parser.block
  const all = [
    'table',
    'code',
    'fence',
    'blockquote',
    'hr',
    'list',
    'reference',
    'html_block',
    'heading',
    'lheading',
    'paragraph',
  ]
  ruler.enableOnly([name])
  const [original] = ruler.getRules('')
  ruler.enable([...all, 'indented_content', 'directive', 'abbreviation', 'math'], true)
  if (original === undefined) throw new TypeError(`markdown-it has no rule ${name}`)
  ruler.at(name, guard(original), { alt })
}

/** Handles an unclosed fence: `~~~` alone is not a fence, and code after a backtick fence ends with its paragraph. */
function guardFence(fence: BlockRule): BlockRule {
  return (state, start, end, silent) => {
    const [mark] = /^(?:`{3,}|~{3,})/.exec(lineText(state, start)) ?? []
    if (mark === undefined) return fence(state, start, end, silent)
    if (isUnclosed(state, mark, end)) {
      if (mark.startsWith('~')) return loneTildes(state, start, silent)
      return fence(state, start, silent ? end : paragraphEnd(state, start, end), silent)
    }
    const count = state.tokens.length
    if (!fence(state, start, end, silent)) return false
    if (silent || isClosed(state, start, mark)) return true
    state.tokens.length = count
    unclosed(state).set(unclosedKey(state, mark, end), mark.length)
    if (mark.startsWith('~')) return loneTildes(state, start, silent)
    return fence(state, start, paragraphEnd(state, start, end), silent)
  }
}

/** A line with only tildes is a horizontal rule. */
function loneTildes(state: StateBlock, start: number, silent: boolean): boolean {
  if (!/^~+\s*$/.test(lineText(state, start))) return false
  if (!silent) state.line = start + 1
  return true
}

/** Shortest fences known to be unclosed. The search for an end is not repeated on each line. */
function unclosed(state: StateBlock): Map<string, number> {
  return factsOf(state).unclosedFences
}

function unclosedKey(state: StateBlock, mark: string, end: number): string {
  return `${mark.charAt(0)} ${state.level} ${state.blkIndent} ${end}`
}

function isUnclosed(state: StateBlock, mark: string, end: number): boolean {
  return mark.length >= (unclosed(state).get(unclosedKey(state, mark, end)) ?? Infinity)
}

function isClosed(state: StateBlock, start: number, mark: string): boolean {
  const last = state.line - 1
  if (last <= start) return false
  const text = lineText(state, last).trim()
  return text.length >= mark.length && text === mark.charAt(0).repeat(text.length)
}

function paragraphEnd(state: StateBlock, start: number, end: number): number {
  let line = start + 1
  while (line < end && !state.isEmpty(line)) line += 1
  return line
}

function guardHtml(html: BlockRule): BlockRule {
  return (state, start, end, silent) => {
    const text = lineText(state, start)
    const [, close] = LONG_HTML.find(([open]) => open.test(text)) ?? []
    if (close !== undefined && (state.bMarks[start] ?? 0) > lastMatch(state, close)) return false
    return html(state, start, end, silent)
  }
}

/** Position of the last end mark in the source. */
function lastMatch(state: StateBlock, mark: RegExp): number {
  const { lastMarks } = factsOf(state)
  let last = lastMarks.get(mark.source)
  if (last === undefined) {
    last = -1
    for (const { index, 0: found } of state.src.matchAll(new RegExp(mark, 'gi'))) last = index + found.length
    lastMarks.set(mark.source, last)
  }
  return last
}

/** `[pause 1s]: x` is a pause and text, not a definition. */
function guardReference(reference: BlockRule): BlockRule {
  return (state, start, end, silent) =>
    !/^\[pause \d/.test(lineText(state, start)) && reference(state, start, end, silent)
}

/**
 * Preserves the excess cells of a table row that has more cells than columns. GitHub drops them. Speakable text must
 * not lose them.
 */
export function keepExcessCells(parser: MarkdownIt): void {
  parser.core.ruler.before('inline', 'excess_cells', ({ src, tokens, Token: Cell }) => {
    if (!tokens.some(({ type }) => type === 'table_open')) return
    const lines = src.split('\n')
    for (let index = tokens.length - 1; index >= 0; index -= 1) {
      const row = tokens[index]
      if (row?.type !== 'tr_open' || row.map === null) continue
      const end = rowEnd(tokens, index)
      const columns = tokens.slice(index, end).filter(({ type }) => /^t[dh]_open$/.test(type)).length
      const excess = cellsOf(lines[row.map[0]] ?? '').slice(columns)
      if (excess.length > 0) tokens.splice(end, 0, ...excess.flatMap((cell) => cellTokens(Cell, cell, row.map)))
    }
  })
}

function rowEnd(tokens: readonly Token[], start: number): number {
  let end = start
  while (tokens[end] !== undefined && tokens[end]?.type !== 'tr_close') end += 1
  return end
}

/** The cells of a row, split at each bar without a backslash, as on GitHub. */
function cellsOf(line: string): readonly string[] {
  const text = line.replace(/^[\s>]*\|/, '').replace(/(?<!\\)\|\s*$/, '')
  return text.split(/(?<!\\)\|/).map((cell) => cell.replaceAll('\\|', '|').trim())
}

function cellTokens(Cell: StateBlock['Token'], content: string, map: [number, number] | null): readonly Token[] {
  const inline = new Cell('inline', '', 0)
  inline.content = content
  inline.map = map
  inline.children = []
  return [new Cell('td_open', 'td', 1), inline, new Cell('td_close', 'td', -1)]
}
