import type { Token } from 'markdown-it'
import { BlockBuilder, type BuilderOptions } from '../blocks/block-builder.ts'
import type { Attributes } from '../blocks/skip.ts'
import type { SourceProblem } from '../document.ts'
import type { ReadMarkdownOptions } from '../options.ts'
import { spokenFormula } from '../spoken/spoken-text.ts'
import { RawHtml } from './raw-html.ts'

const TASK_BOX = /^\[[ xX]\](?=\s)/
/** `[!NOTE]`, a kind of quotation on GitHub. */
const NOTE_KIND = /^\[![A-Za-z-]{1,30}\][+-]?/
/** `{#id}` after a heading. */
const HEADING_ID = /\{#([^{}\s]+)[^{}]*\}\s*$/

/** `{.skip-speech}` at the end of a heading or a paragraph. */
const SKIPPED = /\{[^{}\n]*\.skip-speech\b[^{}\n]*\}\s*$/

/** Reads the tokens of a Markdown document into a builder. */
export class TokenReader {
  readonly #tokens: readonly Token[]
  readonly #options: ReadMarkdownOptions
  readonly #builder: BlockBuilder
  readonly #html: RawHtml
  readonly #slugs = new Slugs()
  /** Depth of footnotes that are not spoken. */
  #inNotes = false

  constructor(tokens: readonly Token[], options: BuilderOptions & ReadMarkdownOptions) {
    this.#tokens = tokens
    this.#options = options
    this.#builder = new BlockBuilder({ ...options, definitions: definitionsOf(tokens, options) })
    this.#html = new RawHtml(tokens, this.#builder, options)
  }

  /** Parts of the source that could not be read. */
  get problems(): readonly SourceProblem[] {
    return this.#html.problems
  }

  /** Reads all tokens. */
  read(): BlockBuilder {
    for (const [index, token] of this.#tokens.entries()) {
      if (token.map !== null) this.#builder.line = token.map[0] + 1
      if (token.type === 'footnote_block_open') this.#inNotes = this.#options.footnotes !== 'read'
      if (!this.#inNotes) this.#block(token, index)
      if (token.type === 'footnote_block_close') this.#inNotes = false
    }
    return this.#builder
  }

  #block(token: Token, index: number): void {
    const builder = this.#builder
    switch (token.type) {
      case 'inline':
        this.#inline(token, index)
        break
      case 'fence':
        this.#code(token)
        break
      case 'code_block':
        if (looksLikeProse(token.content)) this.#paragraph(token.content)
        else this.#code(token)
        break
      case 'html_block':
        this.#html.read(token.content, this.#html.positionOf(token))
        break
      case 'formula':
        builder.open('p')
        builder.verbatim(spokenFormula(token.content, this.#options))
        builder.close('p')
        break
      case 'heading_open':
        builder.open(token.tag, { id: this.#headingId(this.#tokens[index + 1]) })
        break
      case 'footnote_open':
        builder.open('#footnote')
        break
      case 'footnote_close':
        builder.close('#footnote')
        break
      default:
        if (token.nesting === 1) builder.open(token.tag || token.type, attributesOf(token))
        else if (token.nesting === -1) builder.close(token.tag || token.type)
    }
  }

  #paragraph(text: string): void {
    this.#builder.open('p')
    this.#builder.text(text)
    this.#builder.close('p')
  }

  #code(token: Token): void {
    this.#builder.open('pre')
    this.#builder.text(token.content)
    this.#builder.close('pre')
  }

  #inline(token: Token, index: number): void {
    if (SKIPPED.test(token.content)) return
    const children = token.children ?? []
    const before = this.#tokens[index - 2]?.type
    const position = this.#html.enterInline(children)
    let isFirst = true
    for (const [order, child] of children.entries()) {
      if (isFirst && child.type === 'text' && child.content !== '') {
        child.content = withoutFirstMark(child.content, before)
        isFirst = false
      }
      if (order === children.length - 1 && this.#tokens[index - 1]?.type === 'heading_open') {
        child.content = child.content.replace(HEADING_ID, '')
      }
      this.#child(child, position + order)
    }
    this.#html.leaveInline()
  }

  #child(token: Token, position: number): void {
    const builder = this.#builder
    switch (token.type) {
      case 'text':
      case 'text_special':
        builder.text(token.content)
        break
      case 'code_inline':
        builder.code(token.content)
        break
      case 'softbreak':
        if (this.#options.lineBreaks === 'keep') builder.lineBreak()
        else builder.verbatim('\n')
        break
      case 'hardbreak':
        builder.lineBreak()
        break
      case 'image':
        builder.image(plainText(token.children ?? []), String(token.attrGet('src') ?? ''))
        break
      case 'html_inline':
        this.#html.readInline(token.content, position)
        break
      case 'verbatim':
        builder.verbatim(token.content)
        break
      case 'address':
        builder.address(token.content)
        break
      case 'formula':
        builder.verbatim(spokenFormula(token.content, this.#options))
        break
      case 'footnote_ref':
      case 'left_out':
        builder.leaveOut()
        break
      default:
    }
  }

  #headingId(inline: Token | undefined): string {
    const explicit = HEADING_ID.exec(inline?.content ?? '')?.[1]
    return explicit ?? this.#slugs.of(plainText(inline?.children ?? []))
  }
}

/** Removes a task box at the start of a list item, or the kind of note at the start of a quotation. */
function withoutFirstMark(text: string, container: string | undefined): string {
  if (container === 'list_item_open') return text.replace(TASK_BOX, '')
  return container === 'blockquote_open' ? text.replace(NOTE_KIND, '') : text
}

/** The text of inline tokens without their markup. */
function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === 'softbreak' || token.type === 'hardbreak') return ' '
      if (token.type === 'image') return plainText(token.children ?? [])
      return /^(?:text|code_inline|text_special|verbatim|address)$/.test(token.type) ? token.content : ''
    })
    .join('')
}

function attributesOf(token: Token): Attributes {
  return Object.fromEntries((token.attrs ?? []).map(([name, value]) => [name, String(value)]))
}

function definitionsOf(
  tokens: readonly Token[],
  options: ReadMarkdownOptions,
): ReadonlyMap<string, string> | undefined {
  if (options.abbreviations !== 'expand') return undefined
  const found = tokens.filter((token) => token.type === 'abbreviation')
  return new Map(found.map(({ meta }) => [String(meta?.['term']), String(meta?.['meaning'])]))
}

const SENTENCE_END = /[.!?…。！？]["'”’»)\]]*\s*$/u
const CODE = /[{}<>=$;|\\`]|\(\)|\w\(|^\s*(?:#|\/\/|\$|>)|[\w]\.[a-z]\w|_\w/m

/**
 * Whether an indented block is text: sentences of words, without signs of code. Authors indent the first line of a
 * paragraph, and CommonMark treats it as code.
 */
function looksLikeProse(text: string): boolean {
  if (!SENTENCE_END.test(text) || CODE.test(text)) return false
  const words = text.match(/[\p{L}\p{M}’'-]+/gu)?.length ?? 0
  return words >= 5 || /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]{5}/u.test(text)
}

/** Ids of headings, as GitHub makes them. */
class Slugs {
  readonly #used = new Map<string, number>()

  /** The id of a heading. The second heading with the same text ends with `-1`. */
  of(text: string): string {
    const slug = text
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .replaceAll(' ', '-')
    let id = slug
    let count = this.#used.get(slug) ?? 0
    while (this.#used.has(id)) id = `${slug}-${(count += 1)}`
    this.#used.set(slug, count)
    if (id !== slug) this.#used.set(id, 0)
    return id
  }
}
