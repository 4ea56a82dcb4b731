import type { ReadHtmlOptions } from '../options.ts'
import type { Attributes } from './skip.ts'

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '))

/** Elements that are not spoken: scripts, drawings, players, controls and menus. */
export const SILENT: ReadonlySet<string> = words(
  'audio button canvas datalist iframe math nav noembed noframes noscript object rp rt script select style svg ' +
    'template textarea title video',
)

/** Elements without content. */
export const VOID: ReadonlySet<string> = words(
  'area base basefont br col embed frame hr img input keygen link meta param source track wbr',
)

/** Elements that begin and end a block. */
export const BLOCKS: ReadonlySet<string> = words(
  'address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure ' +
    'footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li main menu nav ol optgroup option p pre search ' +
    'section summary table tbody td tfoot th thead title tr ul',
)

/** All other elements of HTML. */
const INLINE = words(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label map mark marquee meter nobr output ' +
    'picture progress q rb rtc ruby s samp slot small span strike strong sub sup time tt u var',
)

/** Whether HTML has an element of this name, in lower case. Names with a hyphen belong to custom elements. */
export function isElement(name: string): boolean {
  return name.includes('-') || BLOCKS.has(name) || INLINE.has(name) || SILENT.has(name) || VOID.has(name)
}

const LIST = words('ul ol menu dir')
const TABLE = words('table')
const DEFINITIONS = words('dl')
const CLOSES_PARAGRAPH = words(
  'address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 ' +
    'h4 h5 h6 header hgroup hr main menu nav ol p pre search section summary table ul li dd dt tr td th',
)

/** Elements that an opening tag closes implicitly, up to the closest element in `within`. */
export interface ImpliedEnd {
  readonly closes: ReadonlySet<string>
  readonly within: ReadonlySet<string>
}

const IMPLIED: ReadonlyMap<string, ImpliedEnd> = new Map(
  Object.entries({
    li: { closes: words('li'), within: LIST },
    dt: { closes: words('dt dd'), within: DEFINITIONS },
    dd: { closes: words('dt dd'), within: DEFINITIONS },
    option: { closes: words('option'), within: words('select datalist') },
    rt: { closes: words('rt rp'), within: words('ruby') },
    rp: { closes: words('rt rp'), within: words('ruby') },
    td: { closes: words('td th caption'), within: words('tr table') },
    th: { closes: words('td th caption'), within: words('tr table') },
    tr: { closes: words('tr td th caption'), within: TABLE },
    tbody: { closes: words('tbody thead tfoot tr td th caption'), within: TABLE },
    thead: { closes: words('tbody thead tfoot tr td th caption'), within: TABLE },
    tfoot: { closes: words('tbody thead tfoot tr td th caption'), within: TABLE },
    body: { closes: words('head'), within: words('html') },
  }),
)
const PARAGRAPH: ImpliedEnd = {
  closes: words('p'),
  within: words('table td th caption button object template body article section div li blockquote'),
}

/** The ends that an opening tag implies, outermost first. */
export function impliedEnds(name: string): readonly ImpliedEnd[] {
  const own = IMPLIED.get(name)
  if (!CLOSES_PARAGRAPH.has(name)) return own === undefined ? [] : [own]
  return own === undefined ? [PARAGRAPH] : [own, PARAGRAPH]
}

/** Whether the end tag of an element is optional. */
export function mayOmitEnd(name: string): boolean {
  return name === 'p' || IMPLIED.has(name)
}

const HIDING_STYLE = /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden)/i
/** Vue displays the content of such a `<template>`: it fills a slot, or is repeated or chosen. */
const DISPLAYED_TEMPLATE = /^(?:#|v-(?:slot|if|else|else-if|for|show)(?:[:.]|$))/
const NOTE_MARK = /\b(?:footnote-ref|footnote-backref|footnoteref|reference|data-footnote-backref)\b/
const NOTES = /\bfootnotes\b/

/** Whether an element is not spoken. */
export function isSilent(name: string, attributes: Attributes, options: ReadHtmlOptions): boolean {
  if (SILENT.has(name)) return name !== 'template' || !Object.keys(attributes).some(isTemplateDirective)
  if (attributes['hidden'] !== undefined || attributes['aria-hidden'] === 'true') return true
  if (HIDING_STYLE.test(attributes['style'] ?? '')) return true
  switch (name) {
    case 'dialog':
      return attributes['open'] === undefined
    case 'pre':
      return options.codeBlocks !== 'read'
    case 'code':
      return options.inlineCode === 'skip'
    case 'table':
      return options.tables === 'skip'
    case 'a':
    case 'sup':
      return isNoteMark(attributes)
    case 'section':
    case 'div':
      return options.footnotes !== 'read' && isNotes(attributes)
    default:
      return false
  }
}

/** Whether an attribute makes Vue display the content of a `<template>`. */
export function isTemplateDirective(attribute: string): boolean {
  return DISPLAYED_TEMPLATE.test(attribute)
}

function isNoteMark(attributes: Attributes): boolean {
  return /^doc-(?:noteref|backlink)$/.test(attributes['role'] ?? '') || NOTE_MARK.test(attributes['class'] ?? '')
}

function isNotes(attributes: Attributes): boolean {
  return attributes['role'] === 'doc-endnotes' || NOTES.test(attributes['class'] ?? '')
}
