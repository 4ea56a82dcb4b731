import type { CSSProperties } from 'react'

/** The style of one of the eight colours that tell voices and speakers apart. CSS reads it as `--hue`. */
export function hueStyle(index: number): CSSProperties {
  return { '--hue': `var(--hue-${Math.max(0, index) % 8})` }
}
