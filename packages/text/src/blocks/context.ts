import type { SpeakableBlockKind } from '../document.ts'
import type { ImpliedEnd } from './elements.ts'
import type { Attributes } from './skip.ts'

/** A list while it is read. */
interface ListState {
  /** Number of the next item; `undefined` in a list without numbers. */
  next: number | undefined
}

/** A container whose first block has its own kind. */
interface ItemState {
  readonly kind: 'list-item' | 'footnote'
  /** Whether it has no block yet. */
  isNew: boolean
  /** Number of the item, until it is spoken. */
  number: number | undefined
}

/** A table while it is read. */
export interface TableState {
  readonly headings: string[]
}

/** A table row while it is read. */
export interface RowState {
  cell: number
  /** Whether all its cells are headings. */
  isHeading: boolean
}

/** The context of a text. */
export interface Context {
  readonly kind: SpeakableBlockKind
  readonly level?: number | undefined
  /** The `id` attribute of the closest block. */
  readonly id?: string | undefined
  readonly list?: ListState | undefined
  readonly item?: ItemState | undefined
  readonly table?: TableState | undefined
  readonly row?: RowState | undefined
  /** Whether white space is preserved. */
  readonly isPreformatted?: boolean
  /** Language of the text, if an element has set it. */
  readonly language?: string | undefined
  /** Whether paragraphs belong to a table cell. */
  readonly isCell?: boolean
}

/** The context at the root of a document. */
export const ROOT: Context = { kind: 'paragraph' }

const HEADING = /^h([1-6])$/

/** The context within an element. `#footnote` is a name that no element has. */
export function contextWithin(name: string, attributes: Attributes, outer: Context): Context {
  const within = contextOf(name, attributes, outer)
  const language = name === 'html' ? undefined : attributes['lang']?.trim()
  return language === undefined || language === '' ? within : { ...within, language }
}

function contextOf(name: string, attributes: Attributes, outer: Context): Context {
  const level = HEADING.exec(name)?.[1]
  const id = attributes['id'] === '' ? undefined : attributes['id']
  if (level !== undefined) return { ...outer, kind: 'heading', level: Number(level), id, isCell: false }
  switch (name) {
    case 'ul':
    case 'menu':
    case 'dir':
      return { ...outer, list: { next: undefined }, isCell: false }
    case 'ol':
      return { ...outer, list: { next: wholeNumber(attributes['start']) ?? 1 }, isCell: false }
    case 'li':
      return { ...outer, ...item('list-item', itemNumber(outer.list, attributes['value'])), id }
    case '#footnote':
      return { ...outer, ...item('footnote', undefined), id }
    case 'blockquote':
      return { ...outer, kind: 'quote', item: undefined, id, isCell: false }
    case 'pre':
      return { ...outer, kind: 'code', isPreformatted: true, isCell: false }
    case 'dt':
      return { ...outer, kind: 'term', id, isCell: false }
    case 'dd':
      return { ...outer, kind: 'definition', id, isCell: false }
    case 'caption':
    case 'figcaption':
    case 'legend':
    case 'summary':
      return { ...outer, kind: 'caption', id, isCell: false }
    case 'table':
      return { ...outer, table: { headings: [] }, row: undefined, isCell: false }
    case 'tr':
      return { ...outer, kind: 'table-row', item: undefined, row: { cell: -1, isHeading: true }, id, isCell: false }
    case 'td':
    case 'th':
      return { ...outer, kind: 'table-row', isCell: true }
    default:
      return id === undefined ? outer : { ...outer, id }
  }
}

function item(kind: ItemState['kind'], number: number | undefined): Partial<Context> & Pick<Context, 'kind'> {
  return { kind: 'paragraph', item: { kind, isNew: true, number }, isCell: false }
}

function itemNumber(list: ListState | undefined, value: string | undefined): number | undefined {
  if (list?.next === undefined) return undefined
  const number = wholeNumber(value) ?? list.next
  list.next = number + 1
  return number
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*-?\d{1,9}\s*$/.test(text) ? Number(text) : undefined
}

/** An open element. */
interface OpenElement {
  readonly name: string
  readonly isSilent: boolean
  readonly isSelected: boolean
  readonly context: Context
}

/** Maximum elements to check for an implied end. Nested elements therefore take linear time. */
const IMPLIED_DEPTH = 50

/** The open elements. Each operation takes constant time, plus the time for the elements that it closes. */
export class ElementStack {
  readonly #elements: OpenElement[] = []
  readonly #counts = new Map<string, number>()
  #silent = 0
  #selected = 0

  /** Context of the innermost element. */
  get context(): Context {
    return this.#elements.at(-1)?.context ?? ROOT
  }

  /** Name of the innermost element. */
  get name(): string | undefined {
    return this.#elements.at(-1)?.name
  }

  /** Whether the text here is not spoken. */
  get isSilent(): boolean {
    return this.#silent > 0
  }

  /** Whether an element here was selected by `select`. */
  get isSelected(): boolean {
    return this.#selected > 0
  }

  /** Whether an element of this name is open. */
  has(name: string): boolean {
    return (this.#counts.get(name) ?? 0) > 0
  }

  push(element: OpenElement): void {
    this.#elements.push(element)
    this.#count(element, 1)
  }

  /** Closes the innermost element. */
  pop(): OpenElement | undefined {
    const element = this.#elements.pop()
    if (element !== undefined) this.#count(element, -1)
    return element
  }

  /** Name of the open element that an opening tag closes, the outermost of them. */
  impliedBy({ closes, within }: ImpliedEnd): string | undefined {
    let found: string | undefined
    const lowest = Math.max(0, this.#elements.length - IMPLIED_DEPTH)
    for (let index = this.#elements.length - 1; index >= lowest; index -= 1) {
      const name = this.#elements[index]?.name ?? ''
      if (within.has(name)) break
      if (closes.has(name)) found = name
    }
    return found
  }

  #count({ name, isSilent, isSelected }: OpenElement, change: 1 | -1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + change)
    if (isSilent) this.#silent += change
    if (isSelected) this.#selected += change
  }
}
