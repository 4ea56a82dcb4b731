import { INLINE_MARKUP, InlineText } from './inline-text.ts'
import { linkDefinitions } from './link-definitions.ts'
import {
  closesFence,
  type Fence,
  isDelimiterRow,
  isRule,
  lineStart,
  linesOf,
  openedFence,
  tableCells,
} from './markdown-lines.ts'
import type { SpeakableOptions } from './speakable-options.ts'

/**
 * Markdown as text that can be spoken: without headings' and lists' marks, emphasis, link targets, tables' lines,
 * footnote marks, HTML tags and comments, fenced code and emoji; an image becomes its alternative text, an address its
 * host. Pause markers and everything that is no markup stay as they are, byte for byte. Takes linear time, whatever the
 * text.
 *
 * Nothing calls it by itself on `speech.*`; `narrate()` does unless told otherwise.
 */
export function speakable(text: string, options: SpeakableOptions = {}): string {
  return new SpeakableText(text, options).convert()
}

class SpeakableText {
  readonly #lines: readonly string[]
  readonly #options: SpeakableOptions
  readonly #definitions: ReadonlySet<string>
  readonly #out: string[] = []
  /** Lines of the paragraph under work: emphasis and links may go over their ends. */
  #paragraph: string[] = []
  #fence: Fence | undefined
  /** Line of the last `-->`: a comment that never ends is text. */
  readonly #lastCommentEnd: number

  constructor(text: string, options: SpeakableOptions) {
    this.#lines = linesOf(text)
    this.#options = options
    this.#definitions = linkDefinitions(this.#lines)
    this.#lastCommentEnd = this.#lines.findLastIndex((line) => line.includes('-->'))
  }

  convert(): string {
    for (let index = 0; index < this.#lines.length;) index = this.#line(index)
    this.#flush()
    return this.#out.join('')
  }

  /** @returns Where the next line stands. */
  #line(index: number): number {
    const line = this.#lines[index] ?? ''
    const content = line.replace(/^(?: {0,3}> ?)+/, '')
    if (this.#fence !== undefined) {
      if (closesFence(content, this.#fence)) this.#fence = undefined
      else if (this.#options.codeBlocks === 'read') this.#out.push(this.#fence.quoted ? content : line)
      return index + 1
    }
    this.#fence = openedFence(content, content !== line)
    if (this.#fence !== undefined || content.trim() === '') {
      this.#flush()
      if (this.#fence === undefined) this.#out.push(content)
      return index + 1
    }
    return this.#comment(index, content) ?? this.#table(index, content) ?? this.#text(index, content)
  }

  #comment(index: number, content: string): number | undefined {
    if (!/^ {0,3}<!--/.test(content) || content.includes('-->') || index >= this.#lastCommentEnd) return undefined
    this.#flush()
    let end = index
    while (!this.#lines[end]?.includes('-->')) end += 1
    return end + 1
  }

  #table(index: number, content: string): number | undefined {
    if (!content.includes('|') || !isDelimiterRow(this.#lines[index + 1] ?? '')) return undefined
    this.#flush()
    let row = index
    for (let cells = content; cells.includes('|'); cells = this.#lines[row] ?? '') {
      const spoken = tableCells(cells).map((cell) => this.#inline(cell).trim())
      this.#out.push(spoken.filter((cell) => cell !== '').join(', '), /[\r\n]*$/.exec(cells.slice(-2))?.[0] ?? '')
      row += row === index ? 2 : 1
    }
    return row
  }

  #text(index: number, content: string): number {
    const start = lineStart(content, this.#definitions)
    if (isRule(content, this.#paragraph.length > 0) || start.kind === 'definition') {
      this.#flush()
    } else {
      if (start.kind !== 'text') this.#flush()
      this.#paragraph.push(start.text)
      if (start.kind === 'heading') this.#flush()
    }
    return index + 1
  }

  #flush(): void {
    const text = this.#paragraph.join('')
    this.#paragraph = []
    if (text !== '') this.#out.push(this.#inline(text))
  }

  #inline(text: string): string {
    return INLINE_MARKUP.test(text) ? new InlineText(text, this.#options, this.#definitions).convert() : text
  }
}
