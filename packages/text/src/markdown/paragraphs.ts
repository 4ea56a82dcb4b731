/** Maximum characters to hold until a paragraph ends. */
const PARAGRAPH_MAX = 16_384
/** Maximum characters of code to hold until its fence ends. The rest of the code is dropped. */
const CODE_MAX = 1_048_576
/** Quotation and list marks before the content of a line. */
const CONTAINERS = /^(?:[ \t]{0,8}(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t])))*[ \t]*/
/** Starts of blocks that continue in indented lines after an empty line. */
const INDENTED_GOES_ON = /^[ \t>]*(?:[-*+]|\d{1,9}[.)]|\[\^[^\]]{1,64}\]:)(?:[ \t]|$)/

/** An open fence. */
interface Fence {
  readonly mark: string
  readonly isQuoted: boolean
}

/** Cuts streamed Markdown at empty lines, except within code, front matter and list items. */
export class Paragraphs {
  #held: string[] = []
  #line = ''
  #length = 0
  #fence: Fence | undefined
  #isFirstLine = true
  #inFrontMatter = false
  #inComment = false
  #silentLength = 0
  /** Whether an indented line after an empty one belongs to the held text. */
  #mayGoOn = false
  /** Whether the paragraph has ended, unless the next line is indented. */
  #mayEnd = false

  /** The text of the paragraph that has not ended. */
  get open(): string {
    return this.#held.join('') + this.#line
  }

  /** Length of the open paragraph up to the end of its last code or comment. */
  get silentLength(): number {
    return this.#silentLength
  }

  /** Whether the open paragraph stands in code, front matter or a comment, of which nothing is spoken. */
  get isSilent(): boolean {
    return !this.#isOpen()
  }

  /** Takes more text. Yields the paragraphs that have ended. */
  *push(chunk: string): Generator<string, void, undefined> {
    const lines = (this.#line + chunk).split(/(?<=\n)/)
    this.#line = lines.at(-1)?.endsWith('\n') === true ? '' : (lines.pop() ?? '')
    for (const line of lines) yield* this.#add(line)
    if (this.#fence === undefined && this.#line.length > PARAGRAPH_MAX) {
      this.#hold(this.#line)
      this.#line = ''
      yield this.#take()
    } else if (this.#mayEnd && /^\S/.test(this.#line)) {
      yield this.#take()
    }
  }

  /** Ends the text. @returns the last paragraph */
  end(): string {
    this.#hold(this.#line)
    this.#line = ''
    return this.#take()
  }

  *#add(line: string): Generator<string, void, undefined> {
    const isEmpty = line.trim() === ''
    if (this.#mayEnd && !isEmpty && !/^[ \t]/.test(line)) yield this.#take()
    if (!isEmpty) this.#mayEnd = false
    const isCode = this.#fence !== undefined
    if (!isCode || this.#length < CODE_MAX) this.#hold(line)
    const wasSilent = !this.#isOpen()
    this.#follow(line)
    if (wasSilent || !this.#isOpen()) this.#silentLength = this.#length
    if (this.#fence !== undefined || isCode) return
    if (isEmpty && this.#isOpen()) this.#mayEnd = this.#mayGoOn
    if ((isEmpty && this.#isOpen() && !this.#mayGoOn) || this.#length > PARAGRAPH_MAX) yield this.#take()
  }

  /** Whether an empty line may end a paragraph here. */
  #isOpen(): boolean {
    return this.#fence === undefined && !this.#inFrontMatter && !this.#inComment
  }

  /** Tracks what a line opens or closes. */
  #follow(line: string): void {
    const isFirst = this.#isFirstLine
    this.#isFirstLine = false
    if (this.#inFrontMatter || (isFirst && /^---[ \t]*\r?\n$/.test(line))) {
      this.#inFrontMatter = isFirst || !/^(?:---|\.\.\.)[ \t]*\r?\n?$/.test(line)
      return
    }
    const content = line.replace(CONTAINERS, '')
    if (this.#fence !== undefined) {
      if (closes(this.#fence, line, content)) this.#fence = undefined
      return
    }
    this.#fence = openedFence(line, content)
    if (this.#inComment || content.startsWith('<!--'))
      this.#inComment = line.lastIndexOf('-->') < line.lastIndexOf('<!--') || (this.#inComment && !line.includes('-->'))
    this.#mayGoOn ||= INDENTED_GOES_ON.test(line)
  }

  #hold(line: string): void {
    this.#held.push(line)
    this.#length += line.length
  }

  #take(): string {
    const text = this.#held.join('')
    this.#held = []
    this.#length = 0
    this.#mayGoOn = false
    this.#mayEnd = false
    this.#silentLength = 0
    this.#inFrontMatter = false
    this.#inComment = false
    return text
  }
}

function openedFence(line: string, content: string): Fence | undefined {
  const mark = /^(?:`{3,}(?=[^`]*$)|~{3,})/.exec(content)?.[0]
  return mark === undefined ? undefined : { mark, isQuoted: /^[ \t]*>/.test(line) }
}

function closes({ mark, isQuoted }: Fence, line: string, content: string): boolean {
  const end = content.trim()
  if (end.length >= mark.length && end === mark.charAt(0).repeat(end.length)) return true
  return isQuoted && !/^[ \t]*>/.test(line)
}
