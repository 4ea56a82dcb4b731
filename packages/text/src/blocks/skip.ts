import type { SourceProblem } from '../document.ts'

/** Attributes of an element, their names in lower case. */
export type Attributes = Readonly<Record<string, string>>

/** Selectors of elements that are never spoken. */
const ALWAYS: readonly string[] = ['.skip-speech', '[data-skip-speech]']
const START = /^\s*skip-speech\s*$/
const END = /^\s*\/skip-speech\s*$/

/** A selector that {@link skipTest} knows: a name, `.class`, `#id` or `[attribute]`. */
export const SKIP_SELECTOR: RegExp = /^(?:[.#]?[A-Za-z_][\w-]*|\[[A-Za-z_][\w:.-]*\])$/

/** Tells whether an element is skipped. The name is in lower case, and so are the names of attributes. */
export type SkipTest = (name: string, attributes: Attributes) => boolean

/** A test for elements that one of the selectors names. */
export function skipTest(selectors: readonly string[] = []): SkipTest {
  const tests = [...ALWAYS, ...selectors].map(toTest)
  return (name, attributes) => tests.some((test) => test(name, attributes))
}

function toTest(selector: string): SkipTest {
  const value = selector.replace(/^[.#[]|\]$/g, '')
  if (selector.startsWith('.')) return (_, { class: classes = '' }) => classes.split(/\s+/).includes(value)
  if (selector.startsWith('#')) return (_, { id }) => id === value
  const lower = value.toLowerCase()
  if (selector.startsWith('[')) return (_, attributes) => attributes[lower] !== undefined
  return (name) => name === lower
}

/** Whether a comment begins or ends a part that is not spoken: `skip-speech` or `/skip-speech`. */
export function isSkipMark(comment: string): boolean {
  return START.test(comment) || END.test(comment)
}

/** How many parts a source ends, by its comments. */
export function countSkipEnds(html: string): number {
  return html.match(/<!--\s*\/skip-speech\s*-->/g)?.length ?? 0
}

/** Follows the comments `<!-- skip-speech -->` and `<!-- /skip-speech -->`. A part without an end is spoken. */
export class SkipMarks {
  /** Parts without an end. */
  readonly problems: SourceProblem[] = []
  #ends: number

  /** @param ends How many ends the source has. */
  constructor(ends: number) {
    this.#ends = ends
  }

  /**
   * Reads a comment.
   * @param line Line of the comment, from 1.
   * @returns Whether the text after it is skipped; `undefined` for other comments
   */
  read(comment: string, line: number): boolean | undefined {
    if (END.test(comment)) {
      this.#ends -= 1
      return false
    }
    if (!START.test(comment)) return undefined
    if (this.#ends > 0) return true
    const message = '<!-- skip-speech --> has no end, so the text after it is spoken: add <!-- /skip-speech -->'
    this.problems.push({ message, line })
    return undefined
  }
}
