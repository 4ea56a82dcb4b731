import type { MarkdownIt, StateBlock } from 'markdown-it'
import { type BlockRule, lineText } from './block-rules.ts'

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
  ruler.enable([...all, 'directive', 'abbreviation', 'math'], true)
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
