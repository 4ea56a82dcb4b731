/**
 * 1 for a light text color, 0 for a dark one. Light text stands on a dark panel and dark text on a light one, whatever is
 * behind the player: a picture, or a text that is too faint for its page.
 */
const LIGHT = 'clamp(0, (l - .62) * 1000, 1)'

/** Style of the player. Custom properties: `--narration-color`, `--narration-background`, `--narration-font`. */
export const STYLE: string = `
:host { display: block; color: var(--narration-color, var(--text, inherit));
  --text: oklch(from currentColor calc((1 - ${LIGHT}) * min(l, .42) + ${LIGHT} * max(l, .88)) min(c, .12) h);
  --panel: oklch(from currentColor calc(.985 - .825 * ${LIGHT}) min(c, .02) h); font: var(--narration-font, 1rem/1.5 system-ui, sans-serif) }
:host([hidden]) { display: none }
.player { padding: .5rem .75rem; border-radius: .75rem;
  background: var(--narration-background, var(--panel)) }
.bar { display: flex; flex-wrap: wrap; gap: .25rem; align-items: center }
button, select, a { font: inherit; color: inherit; background: transparent; border: 0; border-radius: 1.25rem;
  block-size: 2.5rem; min-inline-size: 2.5rem; cursor: pointer }
button, a { display: inline-grid; place-items: center; padding: 0 }
button:first-of-type, button[aria-pressed='true'] { background: color-mix(in srgb, currentColor 14%, transparent) }
:is(button, select, a):hover { background: color-mix(in srgb, currentColor 22%, transparent) }
button[aria-pressed] { padding-inline: .75rem; font-size: .875em; font-weight: 600 }
select { padding-inline: .5rem; field-sizing: content }
option { color: #000; background: #fff }
svg { inline-size: 1.375rem; block-size: 1.375rem; fill: currentColor }
:is(button, select, input, a):focus-visible { outline: 3px solid currentColor; outline-offset: 2px }
input { flex: 1 1 8rem; min-inline-size: 6rem; block-size: 2.5rem; margin: 0 .5rem; cursor: pointer;
  appearance: none; color: inherit; background: transparent; direction: ltr;
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
:is(.caption, .problem, a)[hidden] { display: none }
`
