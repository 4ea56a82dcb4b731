import type { DefaultTreeAdapterTypes } from 'parse5'

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

type Node = DefaultTreeAdapterTypes.Node
type Element = DefaultTreeAdapterTypes.Element

const ATTRIBUTE = 'data-narrate'
/** HTML that may have marks, for the hook's filter. Names of attributes have no case in HTML. */
export const MAY_HAVE_MARKS: RegExp = /data-narrate/i

/** The elements of a page with `data-narrate`, in order. Marks inside a marked element are ignored. */
export async function findMarks(html: string): Promise<Mark[]> {
  if (!MAY_HAVE_MARKS.test(html)) return []
  const { parse } = await import('parse5')
  const marks: Mark[] = []
  // A loop, not recursion: a page may be nested deeper than the stack.
  const open: Node[] = [parse(html, { sourceCodeLocationInfo: true })]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const mark = isElement(node) ? readMark(node, html.length) : undefined
    if (mark !== undefined) marks.push(mark)
    else if ('childNodes' in node) open.push(...node.childNodes.toReversed())
  }
  return marks
}

function isElement(node: Node): node is Element {
  return 'tagName' in node
}

function readMark(element: Element, end: number): Mark | undefined {
  const attributes = new Map(element.attrs.map(({ name, value }) => [name, value]))
  const source = attributes.get(ATTRIBUTE)
  const { startTag, endTag, attrs } = element.sourceCodeLocation ?? {}
  const attribute = attrs?.[ATTRIBUTE]
  if (source === undefined || attribute === undefined || startTag === undefined || startTag === null) return undefined
  return {
    tag: element.tagName,
    source: source.trim(),
    attributes,
    start: startTag.startOffset,
    contentStart: startTag.endOffset,
    contentEnd: endTag?.startOffset ?? element.sourceCodeLocation?.endOffset ?? end,
    attribute: { start: attribute.startOffset, end: attribute.endOffset },
    hasTrack: element.childNodes.some((child) => isElement(child) && child.tagName === 'track'),
  }
}
