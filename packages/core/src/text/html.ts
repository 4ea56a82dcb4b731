/** Only these are taken for tags: `List<String>` is text. */
const ELEMENTS = new Set(
  (
    'a abbr address article aside audio b bdi bdo blockquote body br button caption center cite code col colgroup dd del ' +
    'details dfn div dl dt em figcaption figure font footer form h1 h2 h3 h4 h5 h6 head header hr html i iframe img input ' +
    'ins kbd label li link main mark meta nav ol option p picture pre q s samp script section select small source span ' +
    'strike strong style sub summary sup svg table tbody td tfoot th thead time title tr tt u ul var video wbr'
  ).split(' '),
)
/** What stands between these is on lines of its own. */
const BREAKS = /^(?:blockquote|br|dd|div|dt|figcaption|h[1-6]|hr|li|ol|p|section|summary|table|tr|ul)$/
/** What stands in these is not text. */
const UNSPOKEN = /^(?:script|style)$/

const TAG = /<\/?([a-z][a-z\d]*)(?=[\s/>])([^<>]*)>/iy

/** A tag in a text. */
export interface Tag {
  readonly length: number
  /** Whether a line ends here. */
  readonly breaks: boolean
  /** What closes an element whose content is not text. */
  readonly unspokenUntil: string | undefined
}

/** The tag that begins at a place of a text. */
export function tagAt(text: string, from: number): Tag | undefined {
  TAG.lastIndex = from
  const [tag, spelled = '', attributes = ''] = TAG.exec(text) ?? []
  const name = spelled.toLowerCase()
  if (tag === undefined || !ELEMENTS.has(name)) return undefined
  // "a <b and c> d" is text
  if (!/^\s*\/?$/.test(attributes.slice(-100)) && !attributes.includes('=')) return undefined
  const unspoken = UNSPOKEN.test(name) && !tag.startsWith('</')
  return { length: tag.length, breaks: BREAKS.test(name), unspokenUntil: unspoken ? `</${spelled}>` : undefined }
}

const ENTITY = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-z]{2,6}));/y
const NAMED: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', '\u00A0'],
  ['copy', '©'],
  ['mdash', '—'],
  ['ndash', '–'],
  ['hellip', '…'],
])

/** The character reference at a place of a text, and its character. */
export function entityAt(text: string, from: number): { length: number; text: string } | undefined {
  ENTITY.lastIndex = from
  const [entity, decimal, hex, name] = ENTITY.exec(text) ?? []
  if (entity === undefined) return undefined
  if (name !== undefined) {
    const known = NAMED.get(name)
    return known === undefined ? undefined : { length: entity.length, text: known }
  }
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
  return code > 0 && code <= 0x10_ff_ff ? { length: entity.length, text: String.fromCodePoint(code) } : undefined
}
