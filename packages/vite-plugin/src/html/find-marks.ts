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
