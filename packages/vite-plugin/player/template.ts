import type { PlayerLabels } from './player-element.ts'

const SVG = 'http://www.w3.org/2000/svg'
const SPEEDS = [0.75, 1, 1.25, 1.5, 1.75, 2]
/** Step of the buttons −15 and +15, in seconds. */
export const SKIP_SECONDS = 15

/** Outlines of the icons, in a square of 24 units. No font has all of them. */
const ICONS = {
  play: 'M8 5v14l11-7z',
  pause: 'M6 5h4v14H6zm8 0h4v14h-4z',
  previous: 'M5 5h3v14H5zm15 0v14L9 12z',
  next: 'M16 5h3v14h-3zM4 5v14l11-7z',
  download: 'M11 3h2v9l3.5-3.5L18 10l-6 6-6-6 1.5-1.5L11 12zM5 18h14v2H5z',
} as const

/** The parts of a player. */
export interface PlayerParts {
  readonly bar: HTMLElement
  readonly audio: HTMLAudioElement
  readonly play: HTMLButtonElement
  readonly previous: HTMLButtonElement
  readonly back: HTMLButtonElement
  readonly forward: HTMLButtonElement
  readonly next: HTMLButtonElement
  readonly seek: HTMLInputElement
  readonly time: HTMLElement
  readonly sections: HTMLSelectElement
  readonly speed: HTMLSelectElement
  readonly captions: HTMLButtonElement
  readonly download: HTMLAnchorElement
  readonly caption: HTMLElement
  readonly problem: HTMLElement
}

/** Styles a shadow root. A root that moves to another document loses its style sheets. */
export function styleRoot(root: ShadowRoot): void {
  if (root.adoptedStyleSheets.length > 0) return
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(STYLE)
  root.adoptedStyleSheets = [sheet]
}

/** Builds the player's parts into a shadow root. */
export function buildPlayer(root: ShadowRoot, labels: PlayerLabels): PlayerParts {
  const audio = new Audio()
  audio.preload = 'none'
  const play = iconButton('play')
  const previous = iconButton('previous')
  const next = iconButton('next')
  const back = textButton('button back', `−${SKIP_SECONDS}`)
  const forward = textButton('button forward', `+${SKIP_SECONDS}`)
  const seek = element('input', {
    type: 'range',
    min: '0',
    max: '0',
    step: 'any',
    value: '0',
    part: 'seek',
  })
  const time = element('span', { class: 'time', part: 'time' })
  const sections = element('select', { part: 'sections', hidden: '' })
  const speed = element('select', { part: 'speed' })
  for (const value of SPEEDS) {
    const option = element('option', { value: String(value), ...(value === 1 ? { selected: '' } : {}) })
    option.textContent = `${value}×`
    speed.append(option)
  }
  const captions = textButton('button captions', 'CC')
  captions.setAttribute('aria-pressed', 'true')
  const download = element('a', { part: 'button download', hidden: '' })
  download.append(icon('download'))
  const caption = element('p', { class: 'caption', part: 'caption' })
  const problem = element('p', { class: 'problem', part: 'problem', role: 'status', hidden: '' })
  const bar = element('div', { class: 'bar', part: 'bar', role: 'group' })
  bar.append(play, previous, back, forward, next, seek, time, sections, speed, captions, download)
  const player = element('div', { class: 'player', part: 'player' })
  player.append(bar, caption, problem)
  root.replaceChildren(audio, player)
  const buttons = { play, previous, back, forward, next, captions, download }
  const parts = { bar, audio, ...buttons, seek, time, sections, speed, caption, problem }
  nameParts(parts, labels)
  return parts
}

const NAMED = ['previous', 'back', 'forward', 'next', 'captions', 'download'] as const

/** Names the parts. */
export function nameParts(parts: PlayerParts, labels: PlayerLabels): void {
  nameButton(parts.play, parts.audio.paused ? labels.play : labels.pause)
  for (const one of NAMED) nameButton(parts[one], labels[one])
  parts.seek.setAttribute('aria-label', labels.position)
  parts.speed.setAttribute('aria-label', labels.speed)
  parts.sections.setAttribute('aria-label', labels.sections)
}

function nameButton(target: HTMLElement, label: string): void {
  target.setAttribute('aria-label', label)
  target.title = label
}

/** Sets icon and label of a button. */
export function showIcon(target: HTMLButtonElement, outline: keyof typeof ICONS, label: string): void {
  if (target.title === label) return
  nameButton(target, label)
  target.querySelector('path')?.setAttribute('d', ICONS[outline])
}

function iconButton(outline: 'play' | 'previous' | 'next'): HTMLButtonElement {
  const made = element('button', { type: 'button', part: `button ${outline}` })
  made.append(icon(outline))
  return made
}

function textButton(part: string, text: string): HTMLButtonElement {
  const made = element('button', { type: 'button', class: 'text', part })
  made.textContent = text
  return made
}

/** A heading of the text, for the menu of sections. */
export interface Section {
  readonly title: string
  /** Level of the heading, 1 to 6. */
  readonly level: number
  readonly startSecond: number
}

/** Fills the menu of sections. It is hidden where there is nothing to choose. */
export function showSections({ sections: menu }: PlayerParts, sections: readonly Section[]): void {
  menu.hidden = sections.length < 2
  const top = Math.min(...sections.map(({ level }) => level))
  const titles = sections.map(({ title, level }) => '\u00A0\u00A0'.repeat(level - top) + title)
  // A menu that is open would close.
  if ([...menu.options].map(({ textContent }) => textContent).join('\n') === titles.join('\n')) return
  menu.replaceChildren(
    ...titles.map((title, index) => {
      const option = element('option', { value: String(index) })
      option.textContent = title
      return option
    }),
  )
}

function icon(outline: keyof typeof ICONS): SVGElement {
  const svg = document.createElementNS(SVG, 'svg')
  svg.setAttribute('viewBox', '0 0 24 24')
  svg.setAttribute('aria-hidden', 'true')
  const path = document.createElementNS(SVG, 'path')
  path.setAttribute('d', ICONS[outline])
  svg.append(path)
  return svg
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>>,
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  return made
}

/**
 * 1 for a light text color, 0 for a dark one. Light text stands on a dark panel and dark text on a light one, whatever is
 * behind the player: a picture, or a text that is too faint for its page.
 */
const LIGHT = 'clamp(0, (l - .62) * 1000, 1)'

/** Style of the player. Custom properties: `--narration-color`, `--narration-background`, `--narration-font`. */
const STYLE: string = `
:host { display: block; color: var(--narration-color, var(--text, inherit));
  --text: oklch(from currentColor calc((1 - ${LIGHT}) * min(l, .42) + ${LIGHT} * max(l, .88)) min(c, .12) h);
  --panel: oklch(from currentColor calc(.985 - .825 * ${LIGHT}) min(c, .02) h); font: var(--narration-font, 1rem/1.5 system-ui, sans-serif) }
:host([hidden]) { display: none }
:host([docked]) { position: sticky; inset-block-end: .5rem; z-index: 10 }
.player { padding: .5rem .75rem; border-radius: .75rem;
  background: var(--narration-background, var(--panel)) }
/* Time runs from left to right, also in a page that does not: so do the buttons, the slider and the numbers. */
.bar { display: flex; flex-wrap: wrap; gap: .25rem; align-items: center; direction: ltr }
[part='sections'] { unicode-bidi: plaintext }
button, select, a { font: inherit; color: inherit; background: transparent; border: 0; border-radius: 1.25rem;
  block-size: 2.5rem; min-inline-size: 2.5rem; cursor: pointer }
button, a { display: inline-grid; place-items: center; padding: 0 }
button:first-of-type, button[aria-pressed='true'] { background: color-mix(in srgb, currentColor 14%, transparent) }
:is(button, select, a):hover { background: color-mix(in srgb, currentColor 22%, transparent) }
button.text { padding-inline: .5rem; font-size: .875em; font-weight: 600; font-variant-numeric: tabular-nums }
select { padding-inline: .5rem; field-sizing: content; max-inline-size: 12rem; text-overflow: ellipsis }
option { color: #000; background: #fff }
svg { inline-size: 1.375rem; block-size: 1.375rem; fill: currentColor }
:is(button, select, input, a):focus-visible { outline: 3px solid currentColor; outline-offset: 2px }
input { flex: 1 1 8rem; min-inline-size: 6rem; block-size: 2.5rem; margin: 0 .5rem; cursor: pointer;
  appearance: none; color: inherit; background: transparent;
  --track: linear-gradient(to right, currentColor var(--played, 0%), color-mix(in srgb, currentColor 60%, transparent) 0) }
input::-webkit-slider-runnable-track { block-size: .25rem; border-radius: .125rem; background: var(--track) }
input::-moz-range-track { block-size: .25rem; border-radius: .125rem; background: var(--track) }
input::-webkit-slider-thumb { appearance: none; inline-size: 1rem; block-size: 1rem; margin-block-start: -.375rem;
  border-radius: 50%; background: currentColor }
input::-moz-range-thumb { inline-size: 1rem; block-size: 1rem; border: 0; border-radius: 50%; background: currentColor }
.time { margin-inline-end: auto; font-size: .875em; font-variant-numeric: tabular-nums }
.caption { margin: .25rem 0; block-size: 3em; overflow: auto }
.caption:empty { display: none }
.problem { margin: .25rem 0 }
:is(.caption, .problem, a, select)[hidden] { display: none }
.bar[aria-busy='true'] button:first-of-type { opacity: .6 }
@media (forced-colors: active) {
  .player, button, select, a { border: 1px solid ButtonText }
  :is(button, select, a):focus-visible { outline-color: Highlight }
  button[aria-pressed='true'] { forced-color-adjust: none; color: HighlightText; background: Highlight }
  input { forced-color-adjust: none; color: CanvasText;
    --track: linear-gradient(to right, Highlight var(--played, 0%), CanvasText 0) }
  input::-webkit-slider-thumb { background: Highlight }
  input::-moz-range-thumb { background: Highlight }
}
@media print { :host { display: none } }
`
