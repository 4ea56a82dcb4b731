/** Tags in which models write what they think. */
const NAMES = ['think', 'thinking', 'thought', 'thoughts', 'reasoning', 'reflection', 'scratchpad', 'analysis']
const OPEN = new RegExp(`<(${NAMES.join('|')})>`, 'i')
/** A closing tag without its opening one: templates of some models leave the opening one out. */
const STRAY = new RegExp(`</(?:${NAMES.join('|')})>`, 'gi')
/** Longest tag, in characters. */
const TAG_MAX = Math.max(...NAMES.map((name) => name.length)) + 3

/** The answer without reasoning in tags such as `<think>`. Reasoning that does not end reaches to the end. */
export function withoutReasoning(answer: string): string {
  const filter = new ReasoningFilter()
  return filter.push(answer) + filter.end()
}

/** Leaves reasoning out of an answer that arrives in chunks. Reasoning that does not end reaches to the end. */
export class ReasoningFilter {
  #held = ''
  /** Closing tag of the reasoning that is open. */
  #closing: RegExp | undefined

  /** Takes more text. @returns what is certainly none */
  push(chunk: string): string {
    this.#held += chunk
    return this.#take(false)
  }

  /** Ends the text. @returns the rest */
  end(): string {
    return this.#take(true)
  }

  #take(isLast: boolean): string {
    let text = ''
    for (;;) {
      if (this.#closing !== undefined) {
        const end = this.#closing.exec(this.#held)
        if (end === null) {
          this.#held = isLast ? '' : this.#held.slice(-TAG_MAX)
          return text
        }
        this.#held = this.#held.slice(end.index + end[0].length)
        this.#closing = undefined
        continue
      }
      const open = OPEN.exec(this.#held)
      if (open === null) break
      text += this.#held.slice(0, open.index).replaceAll(STRAY, '')
      this.#held = this.#held.slice(open.index + open[0].length)
      this.#closing = new RegExp(`</${open[1] ?? ''}>`, 'i')
    }
    // A tag may begin at the end.
    const start = isLast ? -1 : this.#held.lastIndexOf('<')
    const rest = start >= 0 && this.#held.length - start < TAG_MAX ? this.#held.slice(start) : ''
    text += this.#held.slice(0, this.#held.length - rest.length).replaceAll(STRAY, '')
    this.#held = rest
    return text
  }
}
