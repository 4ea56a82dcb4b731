import type { Cue } from './parse-vtt.ts'

/** Elements that are blocks of text. */
const BLOCKS = 'h1,h2,h3,h4,h5,h6,p,ul,ol,li,dt,dd,blockquote,figcaption,caption,summary,tr'
/** Marks the current block, for style sheets of the site. */
const CURRENT = 'data-narration-current'

/** The blocks of a narrated page. Marks the current block, and reports clicks on blocks. */
export class PageBlocks {
  readonly target: Element
  /** Whether a click on a block asks for its caption. */
  takesClicks = true
  readonly #ask: (cue: number) => void
  #blocks: readonly (Element | undefined)[] = []
  #current: Element | undefined

  /**
   * @param target The element that is read.
   * @param ask Receives the index of the caption whose block was clicked.
   */
  constructor(target: Element, ask: (cue: number) => void) {
    this.target = target
    this.#ask = ask
    target.addEventListener('click', this.#clicked)
    style(rootOf(target))
  }

  /** Finds the blocks of the captions. */
  match(cues: readonly Cue[]): void {
    const elements = [...this.target.querySelectorAll(BLOCKS)]
    const found = matchBlocks(
      cues.map(({ text }) => text),
      elements.map((element) => element.textContent),
    )
    this.#blocks = found.map((index) => elements[index])
  }

  /** The headings among the blocks, each with its first caption. */
  headings(): readonly { readonly title: string; readonly level: number; readonly cue: number }[] {
    return this.#blocks.flatMap((block, cue) => {
      const level = /^H([1-6])$/.exec(block?.tagName ?? '')?.[1]
      if (block === undefined || level === undefined || this.#blocks[cue - 1] === block) return []
      return [{ title: shownText(block), level: Number(level), cue }]
    })
  }

  /**
   * Marks the block of a caption; none for -1.
   * @param follows Whether a block out of view is scrolled into it.
   */
  mark(cue: number, follows = false): void {
    const block = this.#blocks[cue]
    if (block === this.#current) return
    this.#current?.removeAttribute(CURRENT)
    block?.setAttribute(CURRENT, '')
    this.#current = block
    if (follows) block?.scrollIntoView({ block: 'nearest', behavior: motion() })
  }

  end(): void {
    this.mark(-1)
    this.target.removeEventListener('click', this.#clicked)
  }

  readonly #clicked = (event: Event): void => {
    const { target } = event
    if (!this.takesClicks || !(target instanceof Element) || event.defaultPrevented) return
    // Controls keep their own clicks, and a selection of text is no request to play.
    if (target.closest('a,button,input,select,textarea,label,summary,audio,video,narration-player')) return
    if (document.getSelection()?.isCollapsed === false) return
    const cue = this.#blocks.findIndex((block) => block?.contains(target))
    if (cue !== -1) this.#ask(cue)
  }
}

/** The text of a heading, without the mark of a link to it, which generators add. */
function shownText(block: Element): string {
  const copy = block.cloneNode(true)
  if (!(copy instanceof Element)) return ''
  for (const hidden of copy.querySelectorAll('[aria-hidden=true], a[href^="#"]')) {
    if (!/[\p{L}\p{N}]/u.test(hidden.textContent) || hidden.getAttribute('aria-hidden') === 'true') hidden.remove()
  }
  return copy.textContent
    .replace(/\s+/g, ' ')
    .replace(/[\u200B#]+\s*$/, '')
    .trim()
}

function motion(): ScrollBehavior {
  return matchMedia('(prefers-reduced-motion: reduce)').matches ? 'instant' : 'smooth'
}

const STYLED = new WeakSet<Node>()

/** Adds the style of the current block. `:where` has no specificity, so any rule of the site wins. */
function style(root: Document | ShadowRoot): void {
  if (STYLED.has(root)) return
  STYLED.add(root)
  const sheet = new CSSStyleSheet()
  const color = 'color-mix(in srgb, currentColor 10%, transparent)'
  sheet.replaceSync(
    `:where([${CURRENT}]) { background: ${color}; box-shadow: 0 0 0 .25rem ${color}; border-radius: 1px; scroll-margin: 6rem }
@media (forced-colors: active) { :where([${CURRENT}]) { outline: 2px solid Highlight; outline-offset: .25rem } }
@media print { :where([${CURRENT}]) { background: none; box-shadow: none } }`,
  )
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet]
}

/** Numbers of list items at the start of a caption or behind a sentence. */
const NUMBERS = /(^|[.!?:\s]\s+)-?\d{1,9}\. /g

/**
 * Finds the block of a page for each caption. Captions and blocks are in the same order. Blocks without a caption may stand
 * between, and a block may contain others: a list item contains paragraphs.
 *
 * @param cues Texts of the captions.
 * @param blocks Texts of the page's blocks, in document order.
 * @returns The index of the block of each caption, or -1
 */
export function matchBlocks(cues: readonly string[], blocks: readonly string[]): number[] {
  const there = blocks.map(letters)
  let from = 0
  return cues.map((text) => {
    const cue = letters(text)
    if (cue === '') return -1
    // The number of a list item is spoken, and no text of the page.
    const found = [cue, letters(text.replace(NUMBERS, '$1'))].reduce(
      (before, one) => (before === -1 && one !== '' ? find(there, one, from) : before),
      -1,
    )
    // Several captions may belong to one block.
    if (found !== -1) from = found
    return found
  })
}

function find(blocks: readonly string[], cue: string, from: number): number {
  const equal = blocks.findIndex((block, index) => index >= from && block === cue)
  const within = blocks.findIndex((block, index) => index >= from && block.includes(cue))
  if (within === -1 || (equal !== -1 && equal <= within)) return equal
  // The innermost block that contains the caption is the shortest.
  let best = within
  for (let index = within + 1; index < blocks.length && blocks[within]?.includes(blocks[index] ?? ''); index += 1) {
    if (blocks[index]?.includes(cue)) best = index
  }
  return best
}

/** Letters and digits only: punctuation and white space of captions differ from the page. */
function letters(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')
}

/**
 * Finds the element that a player reads: in the player's own tree, then in the trees around its shadow roots.
 * @param value The `for` of the player: an id, or a selector.
 */
export function findTarget(player: Element, value: string): Element | null {
  if (value === '') return null
  for (let at = player; ;) {
    const root = rootOf(at)
    const found = root.getElementById(value) ?? query(root, value)
    if (found !== null || !(root instanceof ShadowRoot)) return found
    at = root.host
  }
}

/** The shadow root that contains a node, else its document. */
function rootOf(node: Element): Document | ShadowRoot {
  const root = node.getRootNode()
  return root instanceof ShadowRoot ? root : node.ownerDocument
}

function query(root: ParentNode, selector: string): Element | null {
  try {
    return root.querySelector(selector)
  } catch {
    return null // an id that is no selector, e.g. `2024-post`
  }
}
