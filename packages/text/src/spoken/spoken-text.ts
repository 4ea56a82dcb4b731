import type { ReadHtmlOptions, ReadOptions } from '../options.ts'
import { LEFT_OUT } from './marks.ts'

const PICTURE = '(?![©®™‼⁉ℹ〰〽\\u2194-\\u21AA])\\p{Extended_Pictographic}'
const TAIL = '[\\uFE0F\\u20E3\\u{1F3FB}-\\u{1F3FF}\\u{E0020}-\\u{E007F}]*'
const EMOJI = new RegExp(
  `\\p{Regional_Indicator}{1,2}|(?:${PICTURE})${TAIL}(?:\\u200D(?:${PICTURE})${TAIL})*|(?<![\\w:]):[a-z+-][\\w+-]{0,40}:(?![\\w:])`,
  'giu',
)
/** Turns a digit into a keycap. The digit stays. */
const KEYCAP = /\uFE0F?\u20E3/g
const MAY_HOLD_EMOJI = /[^\0-\u2190]|:[a-z+-]/i

/** Replaces addresses and emoji in plain text. An omission leaves a mark for `tidy()`. */
export function spokenText(text: string, options: ReadOptions): string {
  const words = options.urls === 'read' ? text : replaceAddresses(text, (address) => spokenAddress(address, options))
  return options.emoji === 'keep' ? words : withoutEmoji(words)
}

/** Replaces one web address. */
export function spokenAddress(address: string, { urls = 'host' }: ReadOptions): string {
  return urls === 'read' ? address : urls === 'skip' ? LEFT_OUT : hostOf(address)
}

function withoutEmoji(text: string): string {
  return MAY_HOLD_EMOJI.test(text) ? text.replaceAll(EMOJI, LEFT_OUT).replaceAll(KEYCAP, '') : text
}

/** Letters of every script, except scripts without a space after an address. */
const ADDRESS_TEXT =
  /(?:[\w\-.~:/?#@!$&'()*+,;=%]|(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}])[\p{L}\p{N}\p{M}])+/uy
const ADDRESS_START = /(?<![A-Za-z\d])(?:(?:https?|ftp|wss?):\/\/|www\.)(?=[\p{L}\p{N}])/giu
const TRAILING = new Set('.,;:!?\'"*_~)')

/** The web address at an index of a text, without the punctuation of the sentence around it. */
export function addressAt(text: string, from: number): string {
  ADDRESS_TEXT.lastIndex = from
  const address = ADDRESS_TEXT.exec(text)?.[0] ?? ''
  // An address may end with a bracket if it contains the opening one.
  let open = 0
  for (const letter of address) open += letter === '(' ? 1 : letter === ')' ? -1 : 0
  let length = address.length
  for (; TRAILING.has(address.charAt(length - 1)); length -= 1) {
    if (address.charAt(length - 1) !== ')') continue
    if (open >= 0) break
    open += 1
  }
  return address.slice(0, length)
}

/** The host of an address, without `www.`, credentials and port. */
function hostOf(address: string): string {
  const authority = address.replace(/^[a-z]+:\/\//i, '').split(/[/?#]/, 1)[0] ?? ''
  return authority
    .slice(authority.lastIndexOf('@') + 1)
    .replace(/:\d*$/, '')
    .replace(/^www\./i, '')
}

/** Replaces each web address of a text. */
export function replaceAddresses(text: string, replace: (address: string) => string): string {
  // Most texts have no address: a search for two marks is faster than the expression.
  if (!text.includes('://') && !/www\./i.test(text)) return text
  const out: string[] = []
  let from = 0
  for (const { index } of text.matchAll(ADDRESS_START)) {
    if (index < from) continue
    const address = addressAt(text, index)
    out.push(text.slice(from, index), replace(address))
    from = index + address.length
  }
  return out.join('') + text.slice(from)
}

/** A formula that can be spoken: names, numbers and signs in one line. */
const SIMPLE = /^[\p{L}\p{N}\p{Sm}\s.,()/·%′-]{1,60}$/u
/** Longest TeX of a formula that may be spoken, in characters. */
const FORMULA_MAX = 500
const DISPLAY = /\$\$([^$]{1,2000})\$\$|\\\[([\s\S]{1,2000}?)\\\]/g
const INLINE = /\\\(([\s\S]{1,500}?)\\\)/g

/** Signs by their commands. Greek letters and the names of functions are spoken by their names. */
const SIGNS: Readonly<Record<string, string>> = {
  approx: '≈',
  cdot: '·',
  div: '÷',
  ge: '≥',
  geq: '≥',
  infty: '∞',
  le: '≤',
  left: '',
  leq: '≤',
  ne: '≠',
  neq: '≠',
  pm: '±',
  right: '',
  times: '×',
}
const RAISED = '⁰¹²³⁴⁵⁶⁷⁸⁹'
const LOWERED = '₀₁₂₃₄₅₆₇₈₉'

/** A short TeX formula in signs of plain text, e.g. `x² + 1/2`. Other commands stay. */
function plainFormula(tex: string): string {
  return tex
    .trim()
    .replaceAll(/\\d?frac\{([\p{L}\p{N}]+)\}\{([\p{L}\p{N}]+)\}/gu, '$1/$2')
    .replaceAll(/\\sqrt\{([\p{L}\p{N}]+)\}/gu, '√$1')
    .replaceAll(/\\(?:text|mathrm|mathbf)\{([^{}]*)\}/g, '$1')
    .replaceAll(/\^(?:\{(\d+)\}|(\d))/g, (_, many?: string, one = '') => digits(many ?? String(one), RAISED))
    .replaceAll(/_(?:\{(\d+)\}|(\d))/g, (_, many?: string, one = '') => digits(many ?? String(one), LOWERED))
    .replaceAll(/\\[,;:! ]/g, ' ')
    .replaceAll(/\\([A-Za-z]+)/g, (command, name: string) => SIGNS[name] ?? (LETTER.test(name) ? name : command))
    .replaceAll(/\s+/g, ' ')
    .replace(/[.,\s]+$/, '')
}

const LETTER =
  /^(?:alpha|beta|gamma|delta|epsilon|theta|lambda|mu|pi|rho|sigma|tau|phi|omega|Delta|Sigma|Omega|sin|cos|tan|log|ln|exp|min|max)$/

function digits(text: string, table: string): string {
  return text.replaceAll(/\d/g, (digit) => table.charAt(Number(digit)))
}

/** The spoken form of a TeX formula. */
export function spokenFormula(tex: string, { math = 'skip' }: ReadHtmlOptions): string {
  if (math === 'read') return tex.trim()
  if (tex.length > FORMULA_MAX) return LEFT_OUT
  const plain = plainFormula(tex)
  return SIMPLE.test(plain) ? plain : LEFT_OUT
}

/** Replaces `$$…$$`, `\[…\]` and `\(…\)` in the text of a page. */
export function spokenMath(text: string, options: ReadHtmlOptions): string {
  if (options.math === 'read' || !/\$\$|\\[[(]/.test(text)) return text
  return text
    .replaceAll(DISPLAY, (_, one?: string, other = '') => spokenFormula(one ?? String(other), options))
    .replaceAll(INLINE, (_, tex: string) => spokenFormula(tex, options))
}

/** `{{ name }}`, `{% tag %}`, and what Svelte's blocks begin and end with: template syntax. */
export const TEMPLATE: string =
  '\\{\\{[\\s\\S]{0,1000}?\\}\\}|\\{%[\\s\\S]{0,1000}?%\\}|' +
  '\\{[#/:@](?:if|else|each|await|then|catch|key|snippet|html|render|const|debug|attach)\\b[^{}\\n]{0,1000}\\}'
const TEMPLATES = new RegExp(TEMPLATE, 'g')

/** Leaves out the template syntax in the text of HTML. A framework replaces it before readers see the page. */
export function withoutTemplates(text: string): string {
  return text.includes('{') ? text.replaceAll(TEMPLATES, LEFT_OUT) : text
}

/** Hosts and paths of images that show a number or a build's state. */
const BADGE =
  /\bbadges?\b|(?:shields\.io|badgen\.net|fury\.io|travis-ci\.(?:org|com)|circleci\.com|coveralls\.io|nodei\.co|snyk\.io|david-dm\.org|isitmaintained\.com|packagephobia\.(?:com|now\.sh)|opencollective\.com|contrib\.rocks|star-history\.com|app\.netlify\.com|saucelabs\.com|ci\.appveyor\.com|codecov\.io|codeclimate\.com)(?:\/|$)|\/status(?:-images)?\/[^/]+\.(?:svg|png)/i
/** Longest address to check. A `data:` address may have megabytes. */
const ADDRESS_MAX = 500

/** Whether an image is a badge, by its address. */
export function isBadge(address: string): boolean {
  return BADGE.test(address.slice(0, ADDRESS_MAX))
}
