import type { Part } from './parts.ts'

/** A run of marks that may still open emphasis. */
interface Opener {
  readonly part: number
  count: number
}

/** The marks of emphasis in one paragraph: those that pair are left out, all others are text. */
export class Delimiters {
  readonly #text: string
  readonly #parts: Part[]
  readonly #openers = new Map<string, Opener[]>()

  constructor(text: string, parts: Part[]) {
    this.#text = text
    this.#parts = parts
  }

  /** Takes a run of `*`, `_` or `~`. */
  add(at: number, run: string): void {
    const mark = run.charAt(0)
    const before = lastCharacter(this.#text, at)
    const after = String.fromCodePoint(this.#text.codePointAt(at + run.length) ?? 10)
    const openers = this.#openers.get(mark) ?? []
    this.#openers.set(mark, openers)
    let count = run.length
    const fits = mark !== '~' || count === 2
    if (fits && !/\s/.test(before) && !joins(mark, count, after)) count = pair(openers, count, this.#parts, mark)
    this.#parts.push(mark.repeat(count))
    if (fits && count > 0 && !/\s/.test(after) && !joins(mark, count, before)) {
      openers.push({ part: this.#parts.length - 1, count })
    }
  }
}

/** Takes marks off the openers. @returns How many marks are left. */
function pair(openers: Opener[], marks: number, parts: Part[], mark: string): number {
  let count = marks
  for (let opener = openers.at(-1); opener !== undefined && count > 0; opener = openers.at(-1)) {
    const taken = count > 1 && opener.count > 1 ? 2 : 1
    count -= taken
    opener.count -= taken
    parts[opener.part] = mark.repeat(opener.count)
    if (opener.count === 0) openers.pop()
  }
  return count
}

/**
 * Whether marks belong to the word beside them: `snake_case`, `2*3*4` and `2**8` are no emphasis. Chinese and its like
 * emphasize within what has no spaces.
 */
function joins(mark: string, count: number, outside: string): boolean {
  if (mark === '~') return false
  if (mark === '_') return /[\p{L}\p{N}_]/u.test(outside)
  return count > 1 ? /\d/.test(outside) : /[A-Za-z\d]/.test(outside)
}

function lastCharacter(text: string, end: number): string {
  const two = text.slice(Math.max(0, end - 2), end)
  return /^[\uD800-\uDBFF]/.test(two) ? two : two.slice(-1) || '\n'
}
