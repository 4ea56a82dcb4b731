const SPEEDS = [0.75, 1, 1.25, 1.5, 1.75, 2]

/** The look of the player. Custom properties change it: `--narration-color`, `--narration-background`, `--narration-font`. */
const STYLE = `
:host { display: block; color: var(--narration-color, inherit); font: var(--narration-font, 1rem/1.5 system-ui, sans-serif) }
:host([hidden]) { display: none }
.bar { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; padding: .5rem; border-radius: .5rem;
  background: var(--narration-background, color-mix(in srgb, currentColor 8%, transparent)) }
button, select { font: inherit; color: inherit; background: transparent; border: 1px solid currentColor; border-radius: .375rem;
  min-block-size: 2.25rem; min-inline-size: 2.25rem; padding-inline: .5rem; cursor: pointer }
option { color: #000; background: #fff }
button[aria-pressed='true'] { background: color-mix(in srgb, currentColor 20%, transparent) }
:is(button, select, input):focus-visible { outline: 3px solid Highlight; outline-offset: 2px }
input { flex: 1 1 8rem; min-inline-size: 6rem; accent-color: currentColor }
.time { font-variant-numeric: tabular-nums }
.caption { margin: .5rem 0 0; min-block-size: 1.5em; max-block-size: 6em; overflow: auto }
.problem { margin: .5rem 0 0 }
:is(.caption, .problem)[hidden] { display: none }
`

/** The parts of a player. */
export interface PlayerParts {
  readonly audio: HTMLAudioElement
  readonly play: HTMLButtonElement
  readonly previous: HTMLButtonElement
  readonly next: HTMLButtonElement
  readonly seek: HTMLInputElement
  readonly time: HTMLElement
  readonly speed: HTMLSelectElement
  readonly captions: HTMLButtonElement
  readonly caption: HTMLElement
  readonly problem: HTMLElement
}

/** Builds the player's parts into a shadow root. */
export function buildPlayer(root: ShadowRoot, label: string): PlayerParts {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(STYLE)
  root.adoptedStyleSheets = [sheet]
  const audio = new Audio()
  audio.preload = 'none'
  const play = button('▶', 'Play')
  const previous = button('⏮', 'Previous paragraph')
  const next = button('⏭', 'Next paragraph')
  const seek = element('input', {
    type: 'range',
    min: '0',
    max: '0',
    step: 'any',
    value: '0',
    'aria-label': 'Position',
  })
  const time = element('span', { class: 'time' })
  const speed = element('select', { 'aria-label': 'Speed' })
  for (const value of SPEEDS) speed.add(new Option(`${value}×`, String(value), value === 1, value === 1))
  const captions = button('CC', 'CC, captions')
  captions.setAttribute('aria-pressed', 'true')
  const caption = element('p', { class: 'caption' })
  const problem = element('p', { class: 'problem', role: 'status', hidden: '' })
  const bar = element('div', { class: 'bar', role: 'group', 'aria-label': label })
  bar.append(play, previous, next, seek, time, speed, captions)
  root.replaceChildren(audio, bar, caption, problem)
  return { audio, play, previous, next, seek, time, speed, captions, caption, problem }
}

function button(text: string, label: string): HTMLButtonElement {
  const made = element('button', { type: 'button', 'aria-label': label, title: label })
  made.textContent = text
  return made
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>>,
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  return made
}
