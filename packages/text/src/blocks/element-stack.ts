import { type Context, ROOT } from './context.ts'
import { type ImpliedEnd } from './elements.ts'

/** An open element. */
export interface OpenElement {
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
