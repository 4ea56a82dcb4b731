import { rootOf } from './find-target.ts'
import { matchBlocks } from './match-blocks.ts'
import type { Cue } from './parse-vtt.ts'

/** Elements that are blocks of text. */
const BLOCKS = 'h1,h2,h3,h4,h5,h6,p,ul,ol,li,dt,dd,blockquote,figcaption,caption,summary,tr'
/** Marks the current block, for style sheets of the site. */
const CURRENT = 'data-narration-current'

/** The blocks of a narrated page. Marks the current block, and reports clicks on blocks. */
export class PageBlocks {
  readonly target: Element
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

  /** Marks the block of a caption; none for -1. */
  mark(cue: number): void {
    const block = this.#blocks[cue]
    if (block === this.#current) return
    this.#current?.removeAttribute(CURRENT)
    block?.setAttribute(CURRENT, '')
    this.#current = block
  }

  end(): void {
    this.mark(-1)
    this.target.removeEventListener('click', this.#clicked)
  }

  readonly #clicked = (event: Event): void => {
    const { target } = event
    if (!(target instanceof Element) || event.defaultPrevented) return
    // Controls keep their own clicks, and a selection of text is no request to play.
    if (target.closest('a,button,input,select,textarea,label,summary,audio,video,narration-player')) return
    if (document.getSelection()?.isCollapsed === false) return
    const cue = this.#blocks.findIndex((block) => block?.contains(target))
    if (cue !== -1) this.#ask(cue)
  }
}

const STYLED = new WeakSet<Node>()

/** Adds the style of the current block. `:where` has no specificity, so any rule of the site wins. */
function style(root: Document | ShadowRoot): void {
  if (STYLED.has(root)) return
  STYLED.add(root)
  const sheet = new CSSStyleSheet()
  const color = 'color-mix(in srgb, currentColor 10%, transparent)'
  sheet.replaceSync(
    `:where([${CURRENT}]) { background: ${color}; box-shadow: 0 0 0 .25rem ${color}; border-radius: 1px }`,
  )
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet]
}
