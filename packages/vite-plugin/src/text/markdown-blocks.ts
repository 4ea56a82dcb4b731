import { normalizeLabel } from './markdown-inline.ts'

/** One block of Markdown: its inline source, in one piece. */
export interface MarkdownBlock {
  readonly text: string
  /** Whether it is read as a sentence of its own: a heading, a list item, a table row. */
  readonly isSentence: boolean
}

const FENCE = /^(`{3,}(?=[^`]*$)|~{3,})/
const HEADING = /^#{1,6}(?:\s+|$)(.*)$/
const HEADING_END = /(?:\s+#+)?\s*(?:\{#[^{}]*\})?\s*$/
const UNDERLINE = /^(?:=+|-+)$/
const RULE = /^(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$/
const LIST_ITEM = /^(?:[-*+]|(\d{1,9})[.)])(?:\s+|$)/
/** More lists than this begin on one line only in nonsense. */
const LISTS_PER_LINE = 10
const TASK_BOX = /^\[[ xX]\]\s+/
const TABLE_DELIMITER = /^\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?$/
const DEFINITION = /^\[([^\]]+)\]:(?:\s|$)/
/** Containers of documentation sites (`::: tip`), their table of contents, and GitHub's kinds of notes. */
const DIRECTIVE = /^(?::{3,}.*|\[\[toc\]\]|\[![a-z]+\])$/i
/** HTML that runs on over empty lines until its end tag (CommonMark, HTML blocks 1 and 2), and drawings. */
const LONG_HTML = /^<(?:(script|style|pre|textarea|svg)(?=[\s>])|!--)/i

/** Reads Markdown line by line into blocks; code, definitions and footnotes are left out. */
export class MarkdownBlocks {
  readonly #blocks: MarkdownBlock[] = []
  readonly #references = new Set<string>()
  #paragraph: string[] = []
  #isSentence = false
  #inTable = false
  #isQuoted = false
  /** Column where the content of the current list item begins; 0 outside lists. */
  #listIndent = 0
  /** What is being left out, and when it is over. Returns false once the line belongs to what follows. */
  #leftOut: ((line: string) => boolean) | undefined

  line(source: string): void {
    const line = source.replaceAll('\t', '    ')
    if (this.#leftOut?.(line) === true) return
    const quote = /^(?: {0,3}> ?)+/.exec(line)?.[0] ?? ''
    if (quote !== '' && !this.#isQuoted) this.#flush()
    this.#isQuoted = quote !== ''
    const content = line.slice(quote.length)
    const text = content.trim()
    if (text === '') this.#flush()
    else this.#content(text, content.length - content.trimStart().length)
  }

  end(): { readonly blocks: readonly MarkdownBlock[]; readonly references: ReadonlySet<string> } {
    this.#flush()
    return { blocks: this.#blocks, references: this.#references }
  }

  #content(text: string, indent: number): void {
    const starts = this.#paragraph.length === 0
    if (starts && indent < this.#listIndent) this.#listIndent = 0
    if (starts && indent >= this.#listIndent + 4) return // indented code
    if (!starts && UNDERLINE.test(text)) {
      this.#isSentence = true
      this.#flush()
      return
    }
    const content = this.#listContent(text, indent).replace(/^(?:> ?)+/, '')
    if (RULE.test(content)) this.#flush()
    else if (content !== '' && !this.#leaveOut(content)) this.#spoken(content)
  }

  /** The line without its list markers: one line may open several lists. */
  #listContent(text: string, indent: number): string {
    let content = text
    let column = indent
    for (let depth = 0; depth < LISTS_PER_LINE; depth += 1) {
      const item = this.#listItem(content)
      if (item === undefined) break
      this.#flush()
      this.#isSentence = true
      column += item.length
      this.#listIndent = column
      content = content.slice(item.length)
    }
    return column > indent ? content.replace(TASK_BOX, '') : content
  }

  #listItem(text: string): string | undefined {
    const [marker, number] = (RULE.test(text) ? null : LIST_ITEM.exec(text)) ?? []
    // A number within a paragraph is a list only from 1 on: "It was\n1984. …" is prose (CommonMark, list items).
    const isProse = this.#paragraph.length > 0 && this.#listIndent === 0 && number !== undefined && Number(number) !== 1
    return isProse ? undefined : marker
  }

  #spoken(text: string): void {
    const heading = HEADING.exec(text)
    if (heading !== null) {
      this.#flush()
      this.#blocks.push({ text: (heading[1] ?? '').replace(HEADING_END, ''), isSentence: true })
    } else if (this.#inTable) {
      this.#row(text)
    } else if (this.#paragraph.length === 1 && text.includes('|') && TABLE_DELIMITER.test(text)) {
      const [header = ''] = this.#paragraph.splice(0)
      this.#inTable = true
      this.#row(header)
    } else {
      this.#paragraph.push(text.replace(/\\$/, ''))
    }
  }

  #row(text: string): void {
    const cells = text.split(/(?<!\\)\|/).map((cell) => cell.trim())
    this.#blocks.push({ text: cells.filter((cell) => cell !== '').join(', '), isSentence: true })
  }

  /** Whether the line begins something that is not spoken; then the lines after it are watched for its end. */
  #leaveOut(text: string): boolean {
    const fence = FENCE.exec(text)?.[1]
    const html = LONG_HTML.exec(text)
    const definition = this.#paragraph.length === 0 ? DEFINITION.exec(text)?.[1] : undefined
    if (fence !== undefined) this.#leftOut = this.#untilFence(fence)
    else if (html !== null && !htmlEnd(html[1]).test(text)) this.#leftOut = this.#until(htmlEnd(html[1]))
    else if (definition?.startsWith('^') === true) this.#leftOut = this.#untilNoteEnds()
    else if (definition !== undefined) this.#references.add(normalizeLabel(definition))
    else if (!DIRECTIVE.test(text)) return false
    this.#flush()
    return true
  }

  #untilFence(fence: string): (line: string) => boolean {
    const quoted = this.#isQuoted
    const end = new RegExp(`^[\\s>]*\\${fence.charAt(0)}{${fence.length},}\\s*$`)
    return (line) => {
      const isOver = quoted && !/^\s*>/.test(line) // the quote ends, and its code with it
      if (isOver || end.test(line)) this.#leftOut = undefined
      return !isOver
    }
  }

  #until(end: RegExp): (line: string) => boolean {
    return (line) => {
      if (end.test(line)) this.#leftOut = undefined
      return true
    }
  }

  /** A footnote goes on to the end of its paragraph, and over indented paragraphs after it. */
  #untilNoteEnds(): (line: string) => boolean {
    let paragraphEnded = false
    return (line) => {
      const blank = line.trim() === ''
      paragraphEnded ||= blank
      const goesOn = blank || !paragraphEnded || /^ {2,}/.test(line)
      if (!goesOn) this.#leftOut = undefined
      return goesOn
    }
  }

  #flush(): void {
    if (this.#paragraph.length > 0) {
      this.#blocks.push({ text: this.#paragraph.join('\n'), isSentence: this.#isSentence })
    }
    this.#paragraph = []
    this.#isSentence = false
    this.#inTable = false
  }
}

function htmlEnd(name: string | undefined): RegExp {
  return name === undefined ? /-->/ : new RegExp(`</${name}`, 'i')
}
