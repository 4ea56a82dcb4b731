/** An element with `data-narrate`. */
export interface Mark {
  readonly tag: string
  /** The source with its query. Empty for the element's own text. */
  readonly source: string
  readonly attributes: ReadonlyMap<string, string>
  /** Offsets of the start tag: its begin and its end. */
  readonly start: number
  readonly contentStart: number
  /** Offset of the end tag. */
  readonly contentEnd: number
  /** Offsets of `data-narrate` with its value. */
  readonly attribute: { readonly start: number; readonly end: number }
  /** Whether the element has a `<track>`. */
  readonly hasTrack: boolean
}

const ATTRIBUTE = 'data-narrate'
/** A narration in an attribute of a file. */
const WRONG = /\s(?:src|href|data|poster)\s*=\s*(["']?)([^"'\s>]*)[?&]narrate(?=["'\s>&=])/i
/** HTML that may have marks, for the hook's filter. Names of attributes have no case in HTML. */
export const MAY_HAVE_MARKS: RegExp = /data-narrate/i
/** Elements whose content a browser with scripts does not show. */
const HIDDEN = new Set(['template', 'noscript'])

/** The elements of a page with `data-narrate`, in order. Marks inside a marked element are ignored. */
export async function findMarks(html: string): Promise<Mark[]> {
  if (!MAY_HAVE_MARKS.test(html)) return []
  const { Parser } = await import('htmlparser2')
  const marks: Mark[] = []
  /** Elements around the current place. */
  let depth = 0
  /** Depth of the marked or hidden element around it. Its content is not searched. */
  let outer = Infinity
  let mark: Omit<Mark, 'contentEnd' | 'hasTrack'> | undefined
  let hasTrack = false
  let start = 0
  let attribute: Mark['attribute'] | undefined
  let hasEnded = false
  const parser = new Parser({
    onopentagname() {
      start = parser.startIndex
      attribute = undefined
    },
    onattribute(name) {
      // Of two, the browser takes the first.
      if (name === ATTRIBUTE) attribute ??= { start: parser.startIndex, end: parser.endIndex }
    },
    onopentag(tag, attributes) {
      depth += 1
      if (tag === 'track' && mark !== undefined && depth === outer + 1) hasTrack = true
      if (depth > outer) return
      if (HIDDEN.has(tag)) outer = depth
      const source = attributes[ATTRIBUTE]
      if (source === undefined || attribute === undefined) return
      outer = depth
      hasTrack = false
      mark = {
        tag,
        source: source.trim(),
        attributes: new Map(Object.entries(attributes)),
        start,
        contentStart: parser.endIndex + 1,
        attribute,
      }
    },
    onclosetag() {
      if (depth === outer) {
        if (mark !== undefined)
          marks.push({ ...mark, contentEnd: hasEnded ? html.length : parser.startIndex, hasTrack })
        mark = undefined
        outer = Infinity
      }
      depth -= 1
    },
  })
  parser.write(html)
  // What is open now reaches to the end of the page.
  hasEnded = true
  parser.end()
  return marks
}

/** Addresses of a narration, and the label of its player. */
export interface MarkAddresses {
  readonly src: string
  readonly captions: string
  readonly title: string | undefined
}

/** The module that defines `<narration-player>`. */
const PLAYER = '@svc-audio/vite-plugin/player'

/**
 * Inserts narrations into a page: addresses into an `<audio>`, a player before any other element.
 * @param attribute Attribute for the addresses. A build hides them from Vite until they are known.
 */
export function rewritePage(
  html: string,
  marks: readonly (readonly [Mark, MarkAddresses])[],
  attribute: 'src' | 'data-narration-src',
): string {
  let rewritten = ''
  let from = 0
  let needsPlayer = false
  for (const [index, [mark, addresses]] of marks.entries()) {
    const isSilent = addresses.src === ''
    const [before, own, inside] = isSilent
      ? ['', '', '']
      : mark.tag === 'audio'
        ? withAddresses(mark, addresses, attribute)
        : player(mark, addresses, attribute, index)
    needsPlayer ||= before !== ''
    rewritten += html.slice(from, mark.start) + before
    // Remove the white space before the attribute too.
    rewritten += html.slice(mark.start, mark.attribute.start).trimEnd() + own
    rewritten += html.slice(mark.attribute.end, mark.contentStart) + inside
    from = mark.contentStart
  }
  rewritten += html.slice(from)
  return needsPlayer ? withScript(rewritten, `<script type="module">import '${PLAYER}'</script>`) : rewritten
}

function withAddresses(
  mark: Mark,
  { src, captions }: MarkAddresses,
  attribute: string,
): readonly [string, string, string] {
  const preload = mark.attributes.has('preload') ? '' : ' preload="none"'
  const track =
    mark.hasTrack || captions === '' ? '' : `<track kind="captions" ${attribute}="${escape(captions)}" default>`
  return ['', ` ${attribute}="${escape(src)}"${preload}`, track]
}

function player(
  mark: Mark,
  { src, captions, title }: MarkAddresses,
  attribute: string,
  index: number,
): readonly [string, string, string] {
  const given = mark.attributes.get('id')
  const id = given ?? `narrated-${index + 1}`
  const label = title === undefined ? '' : ` label="${escape(title)}"`
  const track = captions === '' ? '' : `<track kind="captions" ${attribute}="${escape(captions)}">`
  const audio = `<audio controls preload="none" ${attribute}="${escape(src)}">${track}</audio>`
  // A browser without scripts shows the inner `<audio>`.
  const before = `<narration-player for="${escape(id)}"${label}>${audio}</narration-player>`
  return [before, given === undefined ? ` id="${id}"` : '', '']
}

function withScript(html: string, script: string): string {
  const at = html.search(/<\/head\s*>/i)
  if (at !== -1) return html.slice(0, at) + script + html.slice(at)
  // A page may omit `<head>`. Nothing stands before its doctype.
  const [doctype = ''] = /^\s*<!doctype[^>]*>/i.exec(html) ?? []
  return doctype + script + html.slice(doctype.length)
}

/** Escapes text for an attribute in double quotes. */
function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}

/** What is wrong with a page that has a narration in a `src`, and what to write; `undefined` when nothing is. */
export function lintHtml(html: string): string | undefined {
  const [attribute, quote = '', address = ''] = WRONG.exec(html.replace(/<!--[\s\S]*?-->/g, '')) ?? []
  if (attribute === undefined) return undefined
  return `${attribute.trim()}${quote} gives the text, not its audio. Write: <audio data-narrate="${address}"></audio>`
}
