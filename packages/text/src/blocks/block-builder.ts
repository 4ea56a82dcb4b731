import type { SpeakableBlock, SpeakableSpan } from '../document.ts'
import type { ReadHtmlOptions } from '../options.ts'
import { CELL_GAP, LEFT_OUT, LINE_BREAK, resolveMarks, tidy, withEndMark, WORD_GAP } from '../spoken/marks.ts'
import { isBadge, replaceAddresses, spokenAddress, spokenText } from '../spoken/spoken-text.ts'
import { leadingMark, yesNoOf } from '../spoken/yes-no.ts'
import { type Context, contextWithin, ElementStack } from './context.ts'
import { BLOCKS, impliedEnds, isSilent, VOID } from './elements.ts'
import { type Attributes, type SkipTest, skipTest } from './skip.ts'

/** Kinds of blocks that get a full stop. */
const STANDALONE = new Set(['heading', 'list-item', 'table-row', 'caption', 'term'])
/** Elements that a table cell may hold without ending the row's block. */
const IN_CELL = /^(?:p|div|center|td|th)$/
/** A block with only these characters is not spoken. */
const NOTHING = /^[\p{P}\p{Sm}\s]*$/u

/** Options of a builder, with findings of the source reader. */
export interface BuilderOptions extends ReadHtmlOptions {
  /** Definitions of abbreviations, by abbreviation. */
  readonly definitions?: ReadonlyMap<string, string> | undefined
}

/**
 * Builds speakable blocks from elements and texts, in reading order. The HTML and the Markdown reader both use it, so
 * they follow the same rules.
 */
export class BlockBuilder {
  /** Current line of the source, from 1. */
  line: number | undefined
  readonly #options: BuilderOptions
  readonly #blocks: SpeakableBlock[] = []
  readonly #stack = new ElementStack()
  readonly #skips: SkipTest
  #isSkipping = false
  #text: TextPart[] = []
  #hasText = false
  #blockLine: number | undefined
  /** Whether the next text begins a cell. */
  #cellBegins = false
  /** Index of the part of the text where the cell begins. */
  #cellStart = 0
  /** Text of the cell as displayed. */
  #cellShown = ''
  #pageTitle = ''
  #pageLanguage: string | undefined

  constructor(options: BuilderOptions) {
    this.#options = options
    this.#skips = skipTest(options.skip)
  }

  /** Text of the page's `<title>`. */
  get pageTitle(): string | undefined {
    return tidy(this.#pageTitle) || undefined
  }

  /** Whether the text here is code, which is displayed as it is written. */
  get isCode(): boolean {
    return this.#stack.has('code') || this.#stack.has('pre')
  }

  /** The `lang` attribute of `<html>`. */
  get pageLanguage(): string | undefined {
    return this.#pageLanguage
  }

  /** Begins or ends a part that is not spoken. */
  skip(isSkipping: boolean): void {
    this.#isSkipping = isSkipping
  }

  /** Whether an element is not spoken because a mark or the option `skip` says so. */
  skips(name: string, attributes: Attributes): boolean {
    return this.#skips(name, attributes)
  }

  /** @param name In lower case. */
  open(name: string, attributes: Attributes = {}): void {
    for (const implied of impliedEnds(name)) {
      const closed = this.#stack.impliedBy(implied)
      if (closed !== undefined) this.close(closed)
    }
    if (name === 'html') this.#pageLanguage ??= attributes['lang']?.trim() || undefined
    this.#boundary(name)
    if (VOID.has(name)) {
      this.#voidElement(name, attributes)
      return
    }
    const isCode = name === 'code' && this.#stack.has('pre')
    const silent = this.skips(name, attributes) || (isSilent(name, attributes, this.#options) && !isCode)
    if (silent && !BLOCKS.has(name)) this.#put(LEFT_OUT)
    const expansion = name === 'abbr' && this.#options.abbreviations === 'expand' ? attributes['title'] : undefined
    if (expansion !== undefined && !silent) this.text(expansion)
    const context = contextWithin(name, attributes, this.#stack.context)
    this.#stack.push({
      name,
      isSilent: silent || expansion !== undefined,
      isSelected: this.#options.select?.(name, attributes) ?? false,
      context,
    })
    if (name === 'td' || name === 'th') this.#beginCell(name)
  }

  /** Closes the innermost element of this name and all elements inside it. Does nothing if no such element is open. */
  close(name: string): void {
    if (!this.#stack.has(name)) return
    for (;;) {
      const last = this.#stack.name ?? name
      if (last === 'td' || last === 'th') this.#endCell()
      this.#boundary(last)
      this.#stack.pop()
      if (last === name) return
    }
  }

  /** Text as it is displayed. */
  text(text: string): void {
    if (this.#stack.context.isCell === true) this.#cellShown += text
    if (this.#stack.isSilent) {
      if (this.#stack.name === 'title' && !this.#stack.has('svg')) this.#pageTitle += text
      return
    }
    if (this.#stack.context.isPreformatted === true) this.#put(text)
    else this.#put(spokenText(this.#expanded(text), this.#options))
  }

  /** Code within a sentence: only its addresses are replaced. */
  code(text: string): void {
    if (this.#stack.context.isCell === true) this.#cellShown += text
    if (this.#options.inlineCode === 'skip') this.#put(LEFT_OUT)
    else this.#put(replaceAddresses(text, (address) => spokenAddress(address, this.#options)))
  }

  /** Text that no rule applies to. */
  verbatim(text: string): void {
    this.#put(text)
  }

  /** A web address. */
  address(address: string): void {
    this.#put(spokenAddress(address, this.#options))
  }

  /** An image by its alternative text. */
  image(alternative: string, address: string): void {
    const { images = 'alt', badges = 'skip' } = this.#options
    const spoken = images === 'alt' && (badges === 'read' || !isBadge(address)) ? tidy(alternative) : ''
    this.#put(spoken === '' ? LEFT_OUT : WORD_GAP)
    if (spoken === '') return
    this.text(spoken)
    this.#put(WORD_GAP)
  }

  /** Marks content that is not spoken. */
  leaveOut(): void {
    this.#put(LEFT_OUT)
  }

  /** A hard line break. */
  lineBreak(): void {
    this.#put(this.#stack.context.isCell === true ? ' ' : LINE_BREAK)
  }

  /** Ends the document. */
  end(): readonly SpeakableBlock[] {
    while (this.#stack.name !== undefined) this.close(this.#stack.name)
    this.#flush()
    return this.#blocks
  }

  #voidElement(name: string, attributes: Attributes): void {
    if (name === 'br') this.lineBreak()
    if (name === 'img' && !this.skips(name, attributes) && !isSilent(name, attributes, this.#options)) {
      this.image(attributes['alt'] ?? '', attributes['src'] ?? '')
    }
  }

  #put(text: string): void {
    if (this.#isSkipping || this.#stack.isSilent || (this.#options.select !== undefined && !this.#stack.isSelected))
      return
    if (!this.#hasText && /\S/.test(text) && text !== LEFT_OUT && text !== WORD_GAP && text !== LINE_BREAK) {
      this.#hasText = true
      this.#blockLine = this.line
    }
    if (this.#cellBegins && this.#hasText && resolveMarks(text).trim() !== '') this.#cellText()
    this.#push(text)
  }

  #push(text: string): void {
    this.#text.push({ text, language: this.#stack.context.language })
  }

  /** Replaces abbreviations that the document defines. */
  #expanded(text: string): string {
    const { definitions } = this.#options
    if (definitions === undefined || definitions.size === 0) return text
    return text.replaceAll(/[\p{L}\p{N}\p{M}]+/gu, (word) => definitions.get(word) ?? word)
  }

  #boundary(name: string): void {
    if (!BLOCKS.has(name) && name !== '#footnote') return
    if (this.#stack.context.isCell === true && IN_CELL.test(name)) this.#put(' ')
    else if (name !== 'td' && name !== 'th') this.#flush()
  }

  #beginCell(name: 'td' | 'th'): void {
    const { row } = this.#stack.context
    if (row === undefined) return
    row.cell += 1
    if (name === 'td') row.isHeading = false
    this.#cellBegins = true
    this.#cellStart = this.#text.length
    this.#cellShown = ''
  }

  #cellText(): void {
    this.#cellBegins = false
    const { row, table } = this.#stack.context
    if (this.#text.some((part) => resolveMarks(part.text).trim() !== '')) this.#push(CELL_GAP)
    const heading =
      this.#options.tables === 'labelled' && row?.isHeading !== true ? table?.headings[row?.cell ?? 0] : ''
    if (heading) this.#push(`${heading}: `)
  }

  #endCell(): void {
    this.#speakMark()
    this.#cellBegins = false
    const { row, table } = this.#stack.context
    if (row?.isHeading !== true || table === undefined || this.#options.tables !== 'labelled') return
    table.headings[row.cell] = tidy(joined(this.#text.slice(this.#cellStart))).replace(/^, /, '')
  }

  /** Speaks a cell of a mark such as ✅ as "yes". */
  #speakMark(): void {
    const { yesNo, language } = this.#options
    if (this.#stack.context.row === undefined || yesNo === 'skip' || this.#stack.isSilent || this.#isSkipping) return
    const mark = leadingMark(this.#cellShown, yesNo ?? yesNoOf(language ?? this.#pageLanguage))
    if (mark === undefined) return
    const rest = tidy(spokenText(mark.rest, this.#options))
    this.#text.splice(this.#cellStart)
    this.#cellBegins = true
    this.#put(rest === '' ? mark.word : `${mark.word}, ${rest}`)
  }

  #flush(): void {
    const parts = this.#text
    const line = this.#blockLine
    this.#text = []
    this.#hasText = false
    this.#blockLine = undefined
    this.#cellStart = 0
    if (parts.length === 0) return
    const { context } = this.#stack
    if (this.#isLabelRow(context)) return
    const text = context.isPreformatted === true ? codeText(joined(parts)) : tidy(joined(parts))
    if (NOTHING.test(text) && !text.includes('[pause ')) return
    this.#blocks.push(this.#block(context, text, line, spansOf(parts, text)))
  }

  /** Whether a row contains the headings to speak with each cell. */
  #isLabelRow({ kind, row }: Context): boolean {
    return kind === 'table-row' && this.#options.tables === 'labelled' && row?.isHeading === true
  }

  #block(
    context: Context,
    text: string,
    line: number | undefined,
    spans: readonly SpeakableSpan[] | undefined,
  ): SpeakableBlock {
    const { level, id, item } = context
    const kind = context.kind === 'paragraph' && item?.isNew === true ? item.kind : context.kind
    const ended = STANDALONE.has(kind) && this.#options.endMarks !== 'keep' ? withEndMark(text) : text
    let number = ''
    if (item !== undefined) {
      if (item.number !== undefined && this.#options.listNumbers !== 'skip') number = `${item.number}. `
      item.isNew = false
      item.number = undefined
    }
    return {
      kind,
      ...(kind === 'heading' && level !== undefined ? { level } : {}),
      text: number + ended,
      ...(id === undefined ? {} : { id }),
      ...(line === undefined ? {} : { line }),
      ...(spans === undefined ? {} : { spans: extendSpans(spans, number, ended.slice(text.length)) }),
    }
  }
}

function codeText(text: string): string {
  return resolveMarks(text)
    .replace(/^\s*\n/, '')
    .trimEnd()
}

/** A part of a block's text while it is read. */
interface TextPart {
  readonly text: string
  readonly language: string | undefined
}

/**
 * The spans of a block, by language. Together they are its text.
 * @param text The tidied text of the block.
 * @returns `undefined` for a block without a language of its own
 */
function spansOf(parts: readonly TextPart[], text: string): readonly SpeakableSpan[] | undefined {
  if (parts.every(({ language }) => language === undefined)) return undefined
  const spans: SpeakableSpan[] = []
  let source = ''
  let from = 0
  for (const [index, part] of parts.entries()) {
    source += part.text
    if (parts[index + 1] !== undefined && parts[index + 1]?.language === part.language) continue
    const isLast = index === parts.length - 1
    const to = isLast ? text.length : tidy(source).length
    // White space at a boundary may be tidied otherwise than inside the text.
    if (!isLast && !text.startsWith(tidy(source))) return undefined
    const own = text.slice(from, to)
    const { language } = part
    if (own !== '') spans.push(language === undefined ? { text: own } : { text: own, language })
    from = to
  }
  return spans
}

/** Puts a text before the first span and another behind the last. */
function extendSpans(spans: readonly SpeakableSpan[], before: string, behind: string): readonly SpeakableSpan[] {
  return spans.map((span, index) => ({
    ...span,
    text: `${index === 0 ? before : ''}${span.text}${index === spans.length - 1 ? behind : ''}`,
  }))
}

/** The text of parts. */
function joined(parts: readonly TextPart[]): string {
  return parts.map(({ text }) => text).join('')
}
