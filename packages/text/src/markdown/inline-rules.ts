import type { MarkdownIt, StateInline } from 'markdown-it'
import { addressAt, TEMPLATE } from '../spoken/spoken-text.ts'

const PAUSE = /\[pause \d+(?:\.\d+)?s\]/y
const SCHEME = /(?<![A-Za-z\d])(?:https?|ftp|wss?)$/i
const TEMPLATE_HERE = new RegExp(TEMPLATE, 'y')
/** `{#id .class}` after a heading, a link or an image. */
const ATTRIBUTES = /[ \t]*\{:?[ \t]*[.#][^{}\n]{0,200}\}/y
/** `{target="_blank"}` behind a link, code or emphasis. */
const NAMED_ATTRIBUTES =
  /(?<=[)\]`*_])\{(?:[ \t]*(?:[.#][\w-]+|[\w:-]+=(?:"[^"{}\n]*"|'[^'{}\n]*'|[^\s"'{}]+)))+[ \t]*\}/y
/** A tag with attributes that only Vue has: `<MyComp @click="go" #slot>`. */
const VUE_TAG = /<[A-Za-z][\w.-]*(?:\s+[@:#\w][\w:.@#[\]-]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?){1,50}\s*\/?>/y
/** An attribute that begins with `@` or `#`. */
const VUE_ATTRIBUTE = /\s[@#]/
/** `$x$`: no space inside the marks and no digit after them, so prices do not match. */
const FORMULA = /\$\$([^$]{1,1000})\$\$|\$(?![\s$])([^$\n]{1,300})(?<![\s\\])\$(?![\d$])|\\\(([\s\S]{1,300}?)\\\)/y
/** TeX has a command, an index or a power, or is one short term. Prices and shell variables do not match. */
const TEX = /\\[a-zA-Z]|[_^]|^[a-zA-Z]$|^[\w\s.,()]{0,12}[=<>+*/-][\w\s.,()+-]{1,12}$/
/** A footnote mark without a definition. In streamed text the definition may come later. */
const UNDEFINED_NOTE = /\[\^[\w-]{1,32}\](?!\()/y

/**
 * Adds the rules for extensions of CommonMark, and for pause markers and bare addresses, which CommonMark would change.
 */
export function addInlineRules(parser: MarkdownIt): void {
  const { ruler } = parser.inline
  ruler.before('text', 'formula', formula)
  ruler.before('escape', 'pause', pause)
  ruler.before('escape', 'template', template)
  ruler.before('escape', 'vue_tag', vueTag)
  ruler.before('escape', 'address', address)
}

/** Consumes the match of a sticky expression at the current position. */
function take(state: StateInline, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = state.pos
  const match = pattern.exec(state.src)
  return match !== null && pattern.lastIndex <= state.posMax ? match : null
}

function push(state: StateInline, silent: boolean, type: string, content: string, length: number): true {
  if (!silent) state.push(type, '', 0).content = content
  state.pos += length
  return true
}

function pause(state: StateInline, silent: boolean): boolean {
  const isImage = state.src.startsWith('![', state.pos)
  if (!isImage && state.src.charAt(state.pos) !== '[') return false
  if (isImage) state.pos += 1
  const marker = take(state, PAUSE)
  if (isImage) state.pos -= 1
  if (marker !== null) return push(state, silent, 'verbatim', marker[0], marker[0].length + (isImage ? 1 : 0))
  const note = take(state, UNDEFINED_NOTE)
  if (note === null || isDefinedNote(state, note[0])) return false
  return push(state, silent, 'left_out', '', note[0].length)
}

function isDefinedNote(state: StateInline, mark: string): boolean {
  // The footnote plugin keeps its definitions here.
  const notes = property(state.env, 'footnotes')
  return property(property(notes, 'refs'), `:${mark.slice(2, -1)}`) !== undefined
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

function template(state: StateInline, silent: boolean): boolean {
  if (state.src.charAt(state.pos) !== '{') return false
  const match = take(state, TEMPLATE_HERE) ?? take(state, ATTRIBUTES) ?? take(state, NAMED_ATTRIBUTES)
  return match !== null && push(state, silent, 'left_out', '', match[0].length)
}

function vueTag(state: StateInline, silent: boolean): boolean {
  if (state.src.charAt(state.pos) !== '<') return false
  const tag = take(state, VUE_TAG)?.[0]
  return tag !== undefined && VUE_ATTRIBUTE.test(tag) && push(state, silent, 'html_inline', tag, tag.length)
}

function formula(state: StateInline, silent: boolean): boolean {
  const first = state.src.charAt(state.pos)
  if (first !== '$' && first !== '\\') return false
  const match = take(state, FORMULA)
  const tex = match?.[1] ?? match?.[2] ?? match?.[3]
  if (match === null || tex === undefined) return false
  if (match[2] !== undefined && !TEX.test(tex)) return false
  return push(state, silent, 'formula', tex, match[0].length)
}

/** Underscores and stars in an address are not emphasis. */
function address(state: StateInline, silent: boolean): boolean {
  if (!state.src.startsWith('://', state.pos)) return false
  const scheme = SCHEME.exec(state.pending.slice(-10))?.[0]
  if (scheme === undefined || !/^[\p{L}\p{N}]/u.test(state.src.slice(state.pos + 3, state.pos + 5))) return false
  const start = state.pos - scheme.length
  const found = addressAt(state.src.slice(0, state.posMax), start)
  if (!silent) {
    state.pending = state.pending.slice(0, -scheme.length)
    state.push('address', '', 0).content = found
  }
  state.pos = start + found.length
  return true
}
