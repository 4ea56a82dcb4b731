import { decodeEntities } from './entities.ts'
import { attributeValue, htmlTokens } from './html-tokens.ts'
import { endSentence, joinParagraphs, tidy } from './sentences.ts'

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '))

/** Elements of which nothing is said: code, drawings, players, controls and menus. */
const SILENT = words(
  'audio button canvas iframe math nav noscript object pre script select style svg template textarea title video',
)
/** Elements without an end tag. */
const VOID = words('area base br col embed hr img input link meta source track wbr')
/** Elements that begin and end a paragraph. */
const BLOCKS = words(
  'address article aside blockquote body caption dd details dialog div dl dt fieldset figcaption figure footer form ' +
    'h1 h2 h3 h4 h5 h6 header hr html li main ol p section summary table tbody tfoot thead tr ul',
)
/** Blocks that are read as a sentence of their own. */
const SENTENCES = words('caption dd dt figcaption h1 h2 h3 h4 h5 h6 li summary tr')

/** The speakable text of HTML: `alt` texts are kept, silent and hidden elements are not. */
export function htmlText(html: string): string {
  const reader = new HtmlReader()
  for (const token of htmlTokens(html)) {
    if (token.type === 'text') reader.text(token.text)
    else if (token.type === 'close') reader.close(token.name)
    else reader.open(token.name, token.attributes)
  }
  return reader.end()
}

class HtmlReader {
  readonly #paragraphs: string[] = []
  #paragraph = ''
  #isSentence = false
  /** The silent element that we are in, and how many of its name are open. */
  #silent: { readonly name: string; depth: number } | undefined

  text(text: string): void {
    if (this.#silent === undefined) this.#paragraph += decodeEntities(text)
  }

  open(name: string, attributes: string): void {
    if (this.#silent !== undefined) {
      if (this.#silent.name === name) this.#silent.depth += 1
    } else if (isHidden(attributes) || SILENT.has(name)) {
      // Only foreign elements may close themselves; `<script/>` is an open tag.
      const closesItself = VOID.has(name) || (attributes.endsWith('/') && (name === 'svg' || name === 'math'))
      if (!closesItself) this.#silent = { name, depth: 1 }
    } else if (name === 'img') {
      this.#paragraph += ` ${decodeEntities(attributeValue(attributes, 'alt') ?? '')} `
    } else if (name === 'td' || name === 'th') {
      if (this.#paragraph.trim() !== '') this.#paragraph += ', '
    } else {
      this.#boundary(name, true)
    }
  }

  close(name: string): void {
    if (this.#silent === undefined) this.#boundary(name, false)
    else if (this.#silent.name === name && (this.#silent.depth -= 1) === 0) this.#silent = undefined
  }

  end(): string {
    this.#flush()
    return joinParagraphs(this.#paragraphs)
  }

  #boundary(name: string, opens: boolean): void {
    if (name === 'br') this.#paragraph += ' '
    if (!BLOCKS.has(name)) return
    this.#flush()
    if (SENTENCES.has(name)) this.#isSentence = opens
  }

  #flush(): void {
    const text = tidy(this.#paragraph).replace(/ ,/g, ',')
    this.#paragraphs.push(this.#isSentence ? endSentence(text) : text)
    this.#paragraph = ''
  }
}

function isHidden(attributes: string): boolean {
  return attributeValue(attributes, 'hidden') !== undefined || attributeValue(attributes, 'aria-hidden') === 'true'
}
