import type { Token } from 'markdown-it'
import type { BlockBuilder } from '../blocks/block-builder.ts'
import { isElement, isTemplateDirective, mayOmitEnd, SILENT, VOID } from '../blocks/elements.ts'
import { countSkipEnds, SkipMarks } from '../blocks/skip.ts'
import type { SourceProblem } from '../document.ts'
import { readTags } from '../html.ts'
import type { ReadMarkdownOptions } from '../options.ts'
import { withEndMark } from '../spoken/marks.ts'
import { withoutTemplates } from '../spoken/spoken-text.ts'

const CLOSING = /<\/([a-z][\w:-]*)/gi
const OPENING = /^<([a-z][\w:-]*)([^>]*)>$/i
/** Attributes without a value that HTML knows. */
const BOOLEAN =
  /^(?:open|hidden|disabled|checked|controls|autoplay|loop|muted|async|defer|reversed|download|inert|selected)$/i

/** Attributes that Starlight's components show. */
const PROPS: Readonly<Record<string, readonly string[]>> = {
  Aside: ['title'],
  Card: ['title'],
  LinkCard: ['title', 'description'],
  TabItem: ['label'],
}

/** Where a piece of HTML is. */
interface Place {
  /** Counted in tokens. */
  readonly position: number
  /** Position of the last end tag of each element. */
  readonly closed: ReadonlyMap<string, number>
  readonly isInline: boolean
}

/**
 * Reads the raw HTML of a Markdown document. A silent element counts only if it is closed: a forgotten end tag must not
 * silence the rest.
 */
export class RawHtml {
  readonly #builder: BlockBuilder
  readonly #isMdx: boolean
  readonly #props: ReadonlyMap<string, readonly string[]>
  /** Position of the last end tag of each element, counted in tokens. */
  readonly #lastClosed = new Map<string, number>()
  readonly #positions = new Map<Token, number>()
  #lastClosedInline = new Map<string, number>()
  readonly #marks: SkipMarks

  constructor(tokens: readonly Token[], builder: BlockBuilder, { mdx = false, props = {} }: ReadMarkdownOptions) {
    this.#builder = builder
    this.#isMdx = mdx
    this.#props = new Map(Object.entries({ ...PROPS, ...props }))
    this.#marks = new SkipMarks(tokens.flatMap((token) => [token, ...(token.children ?? [])]).reduce(addSkipEnds, 0))
    for (const [position, token] of tokens.entries()) {
      if (token.type !== 'html_block') continue
      this.#positions.set(token, position)
      collectClosed(token.content, position, this.#lastClosed)
    }
  }

  /** Comments that begin a part without an end. */
  get problems(): readonly SourceProblem[] {
    return this.#marks.problems
  }

  /** The place of a block among the tokens. */
  positionOf(token: Token): number {
    return this.#positions.get(token) ?? 0
  }

  /** Begins the inline tokens of a block. @returns The position of the first one. */
  enterInline(children: readonly Token[]): number {
    this.#lastClosedInline = new Map()
    for (const [position, child] of children.entries()) {
      if (child.type === 'html_inline') collectClosed(child.content, position, this.#lastClosedInline)
    }
    return 0
  }

  /** Ends the inline tokens of a block. */
  leaveInline(): void {
    this.#lastClosedInline = new Map()
  }

  /** Reads one tag or comment of a paragraph. Text that only looks like a tag stays text, e.g. `List<String>`. */
  readInline(html: string, position: number): void {
    if (this.#isTag(html)) this.#read(html, { position, closed: this.#lastClosedInline, isInline: true })
    else this.#builder.text(html)
  }

  /** Reads a block of HTML. */
  read(html: string, position: number): void {
    this.#read(html, { position, closed: this.#lastClosed, isInline: false })
  }

  #read(html: string, { position, closed, isInline }: Place): void {
    const builder = this.#builder
    // A block may close its own tags: they are counted after it.
    const isClosed = (name: string): boolean => (closed.get(name) ?? -1) >= position
    readTags(html, {
      open: (name, attributes, isSelfClosing, offset) => {
        const closesItself = isSelfClosing && !VOID.has(name)
        // A component differs from an element by its case: `Aside` is none of HTML.
        const component = html.slice(offset + 1, offset + 1 + name.length)
        this.#speakProps(component, attributes, !isInline ? 'block' : isSelfClosing ? 'words' : 'sentence')
        if (closesItself && (name === 'svg' || name === 'math' || !isElement(name))) return
        const silences =
          (SILENT.has(name) && !Object.keys(attributes).some(isTemplateDirective)) ||
          attributes['hidden'] !== undefined ||
          attributes['aria-hidden'] === 'true' ||
          builder.skips(name, attributes)
        if (silences && !VOID.has(name) && !isClosed(name) && !mayOmitEnd(name)) builder.leaveOut()
        else builder.open(name, attributes)
        if (closesItself && name.includes('-')) builder.close(name)
      },
      close: (name) => builder.close(name),
      text: (text) => builder.text(builder.isCode ? text : withoutTemplates(text)),
      skipMark: (comment) => {
        const isSkipping = this.#marks.read(comment, builder.line ?? 1)
        if (isSkipping !== undefined) builder.skip(isSkipping)
      },
    })
  }

  /**
   * Speaks the attributes of a component that readers see. Outside a paragraph, each is a block. In a paragraph, those of a
   * component with content are sentences before it.
   */
  #speakProps(
    component: string,
    attributes: Readonly<Record<string, string>>,
    as: 'block' | 'sentence' | 'words',
  ): void {
    if (attributes['hidden'] !== undefined || attributes['aria-hidden'] === 'true') return
    if (this.#builder.skips(component.toLowerCase(), attributes)) return
    for (const name of this.#props.get(component) ?? []) {
      const text = attributes[name.toLowerCase()] ?? ''
      if (as === 'words') this.#builder.text(` ${text} `)
      else if (as === 'sentence') this.#builder.text(` ${withEndMark(text)} `)
      else {
        this.#builder.open('figcaption')
        this.#builder.text(text)
        this.#builder.close('figcaption')
      }
    }
  }

  #isTag(html: string): boolean {
    const [tag, name = '', attributes = ''] = OPENING.exec(html) ?? []
    if (tag === undefined || this.#isMdx) return true
    const names = attributes.replace(/\/$/, '').trim()
    const known = isElement(name.toLowerCase())
    if (names === '') return known || attributes.endsWith('/') || this.#lastClosedInline.has(name.toLowerCase())
    // "a <b and c> d" is text
    return names.includes('=') || names.split(/\s+/).every((one) => BOOLEAN.test(one) || /[@:#-]/.test(one))
  }
}

function addSkipEnds(sum: number, { type, content }: Token): number {
  return type === 'html_block' || type === 'html_inline' ? sum + countSkipEnds(content) : sum
}

function collectClosed(html: string, position: number, closed: Map<string, number>): void {
  for (const [, name = ''] of html.matchAll(CLOSING)) closed.set(name.toLowerCase(), position)
}
