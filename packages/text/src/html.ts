import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'
import { BlockBuilder } from './blocks/block-builder.ts'
import { countSkipEnds, isSkipMark, SkipMarks } from './blocks/skip.ts'
import { toDocument } from './blocks/to-document.ts'
import type { SpeakableDocument } from './document.ts'
import { checkOptions, type ReadHtmlOptions } from './options.ts'
import { withoutMarks } from './spoken/marks.ts'
import { spokenMath, withoutTemplates } from './spoken/spoken-text.ts'

/**
 * Converts HTML, a whole page or a fragment, to speakable text. It omits scripts, styles, hidden elements, menus,
 * controls, players, drawings, code blocks and footnote marks. It speaks images by their alternative texts.
 *
 * @throws TextOptionError naming the option
 */
export function readHtml(source: string, options: ReadHtmlOptions = {}): SpeakableDocument {
  checkOptions('html', options)
  const html = withoutMarks(source)
  const builder = new BlockBuilder(options)
  const lines = new LineCounter(html)
  const marks = new SkipMarks(countSkipEnds(html))
  readTags(html, {
    open(name, attributes, isSelfClosing, offset) {
      builder.line = lines.at(offset)
      builder.open(name, attributes)
      // Only drawings and formulas close themselves: `<div/>` is an opening tag.
      if (isSelfClosing && (name === 'svg' || name === 'math')) builder.close(name)
    },
    close(name) {
      // As in browsers, `</br>` is a line break.
      if (name === 'br') builder.lineBreak()
      else builder.close(name)
    },
    text(text, offset) {
      builder.line = lines.at(offset + text.length - text.trimStart().length)
      builder.text(spokenMath(builder.isCode ? text : withoutTemplates(text), options))
    },
    skipMark(comment, offset) {
      const isSkipping = marks.read(comment, lines.at(offset))
      if (isSkipping !== undefined) builder.skip(isSkipping)
    },
  })
  const blocks = builder.end()
  const { pageTitle: title, pageLanguage: language } = builder
  return toDocument({ blocks, options, title, language, problems: marks.problems })
}

/** Receives the tags and texts of HTML in order, without other comments, doctypes and processing instructions. */
interface HtmlHandler {
  /** @param name In lower case. @param offset Where the tag begins. */
  open(name: string, attributes: Readonly<Record<string, string>>, isSelfClosing: boolean, offset: number): void
  close(name: string): void
  /** Text between two tags, its character references decoded. @param offset Where the text begins. */
  text(text: string, offset: number): void
  /** A comment that begins or ends a part that is not spoken. Other comments are left out. */
  skipMark(comment: string, offset: number): void
}

/** Reads HTML into a handler. It implies no end tags: the handler builds the structure. */
export function readTags(html: string, handler: HtmlHandler): void {
  const tokenizer = new Tokenizer({ decodeEntities: true }, new HtmlEvents(html, handler))
  tokenizer.write(html)
  tokenizer.end()
}

class HtmlEvents implements TokenizerCallbacks {
  readonly #html: string
  readonly #handler: HtmlHandler
  #text = ''
  #textStart = 0
  #name = ''
  #tagStart = 0
  #attributes: Record<string, string> = {}
  #attribute = ''
  #value = ''
  /** Open `<svg>` and `<math>`, where a tag may close itself and `<title>` is no text. */
  #foreign = 0

  constructor(html: string, handler: HtmlHandler) {
    this.#html = html
    this.#handler = handler
  }

  ontext(start: number, end: number): void {
    if (this.#text === '') this.#textStart = start
    this.#text += this.#html.slice(start, end)
  }

  ontextentity(codepoint: number, end: number): void {
    if (this.#text === '') this.#textStart = end
    this.#text += String.fromCodePoint(codepoint)
  }

  onopentagname(start: number, end: number): void {
    this.#endText()
    this.#name = this.#html.slice(start, end).toLowerCase()
    this.#tagStart = start - 1
    this.#attributes = {}
  }

  onattribname(start: number, end: number): void {
    this.#attribute = this.#html.slice(start, end).toLowerCase()
    this.#value = ''
  }

  onattribdata(start: number, end: number): void {
    this.#value += this.#html.slice(start, end)
  }

  onattribentity(codepoint: number): void {
    this.#value += String.fromCodePoint(codepoint)
  }

  onattribend(): void {
    // The first attribute of a name counts. `__proto__` must not reach the prototype.
    if (Object.hasOwn(this.#attributes, this.#attribute) || this.#attribute === '__proto__') return
    this.#attributes[this.#attribute] = this.#value
  }

  onopentagend(): void {
    this.#open(false)
  }

  onselfclosingtag(): void {
    this.#open(true)
  }

  onclosetag(start: number, end: number): void {
    this.#endText()
    const name = this.#html.slice(start, end).toLowerCase()
    if (isForeign(name) && this.#foreign > 0) this.#foreign -= 1
    this.#handler.close(name)
  }

  oncdata(start: number, end: number): void {
    if (this.#foreign > 0) this.ontext(start, end)
  }

  oncomment(start: number, end: number, endOffset: number): void {
    const comment = this.#html.slice(start, end - endOffset)
    if (!isSkipMark(comment)) return
    this.#endText()
    this.#handler.skipMark(comment, start)
  }

  ondeclaration(): void {}
  onprocessinginstruction(): void {}

  onend(): void {
    this.#endText()
  }

  isInForeignContext(): boolean {
    return this.#foreign > 0
  }

  #open(isSelfClosing: boolean): void {
    if (isForeign(this.#name) && !isSelfClosing) this.#foreign += 1
    this.#handler.open(this.#name, this.#attributes, isSelfClosing, this.#tagStart)
  }

  #endText(): void {
    if (this.#text === '') return
    this.#handler.text(this.#text, this.#textStart)
    this.#text = ''
  }
}

function isForeign(name: string): boolean {
  return name === 'svg' || name === 'math'
}

/** Converts rising offsets of a text to lines. It reads each character once. */
class LineCounter {
  readonly #text: string
  #offset = 0
  #line = 1

  constructor(text: string) {
    this.#text = text
  }

  /** The line of an offset, from 1. */
  at(offset: number): number {
    for (;;) {
      const end = this.#text.indexOf('\n', this.#offset)
      if (end < 0 || end >= offset) return this.#line
      this.#offset = end + 1
      this.#line += 1
    }
  }
}
