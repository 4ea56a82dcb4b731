import type { PlayerLabels } from './labels.ts'
import { STYLE } from './style.ts'

const SVG = 'http://www.w3.org/2000/svg'
const SPEEDS = [0.75, 1, 1.25, 1.5, 1.75, 2]

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
  readonly next: HTMLButtonElement
  readonly seek: HTMLInputElement
  readonly time: HTMLElement
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
  const seek = element('input', {
    type: 'range',
    min: '0',
    max: '0',
    step: 'any',
    value: '0',
    part: 'seek',
  })
  const time = element('span', { class: 'time', part: 'time' })
  const speed = element('select', { part: 'speed' })
  for (const value of SPEEDS) {
    const option = element('option', { value: String(value), ...(value === 1 ? { selected: '' } : {}) })
    option.textContent = `${value}×`
    speed.append(option)
  }
  const captions = element('button', { type: 'button', part: 'button captions' })
  captions.textContent = 'CC'
  captions.setAttribute('aria-pressed', 'true')
  const download = element('a', { part: 'button download', hidden: '' })
  download.append(icon('download'))
  const caption = element('p', { class: 'caption', part: 'caption' })
  const problem = element('p', { class: 'problem', part: 'problem', role: 'status', hidden: '' })
  const bar = element('div', { class: 'bar', part: 'bar', role: 'group' })
  bar.append(play, previous, next, seek, time, speed, captions, download)
  const player = element('div', { class: 'player', part: 'player' })
  player.append(bar, caption, problem)
  root.replaceChildren(audio, player)
  const parts = { bar, audio, play, previous, next, seek, time, speed, captions, download, caption, problem }
  nameParts(parts, labels)
  return parts
}

/** Names the parts. */
export function nameParts(parts: PlayerParts, labels: PlayerLabels): void {
  nameButton(parts.play, parts.audio.paused ? labels.play : labels.pause)
  for (const one of ['previous', 'next', 'captions', 'download'] as const) nameButton(parts[one], labels[one])
  parts.seek.setAttribute('aria-label', labels.position)
  parts.speed.setAttribute('aria-label', labels.speed)
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
