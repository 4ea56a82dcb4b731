/** Shortest pause of a `[pause X.Ys]` marker, in seconds (interface: Limits). */
export const PAUSE_MIN_SECONDS = 0.1
/** Longest pause of a `[pause X.Ys]` marker, in seconds (interface: Limits). */
export const PAUSE_MAX_SECONDS = 10

/** A part of an input: text to speak, or silence. */
export type TextPart = SpokenPart | PausePart

/** A part of an input that is spoken. */
export interface SpokenPart {
  /** Tells it from a {@link PausePart}. */
  readonly type: 'text'
  /** The text without markers. */
  readonly text: string
}

/** A part of an input that is silent. */
export interface PausePart {
  /** Tells it from a {@link SpokenPart}. */
  readonly type: 'pause'
  /** Length of the silence, as written. */
  readonly seconds: number
  /** The marker as written. */
  readonly marker: string
}

const MARKER = /\[pause (\d+(?:\.\d+)?)s\]/g

/**
 * Splits an input at its pause markers. Order and characters of the text stay the same. Lengths are not checked. Only
 * `[pause X.Ys]` and `[pause Xs]` are markers. Any other brackets are text.
 */
export function splitPauses(input: string): TextPart[] {
  const parts: TextPart[] = []
  let from = 0
  for (const match of input.matchAll(MARKER)) {
    if (match.index > from) parts.push({ type: 'text', text: input.slice(from, match.index) })
    parts.push({ type: 'pause', seconds: Number(match[1]), marker: match[0] })
    from = match.index + match[0].length
  }
  if (from < input.length) parts.push({ type: 'text', text: input.slice(from) })
  return parts
}

/** The first pause marker whose length is outside 0.1 to 10.0 seconds, or `undefined` (interface: Limits). */
export function pauseOutOfRange(input: string): string | undefined {
  for (const [marker, seconds] of input.matchAll(MARKER)) {
    if (Number(seconds) < PAUSE_MIN_SECONDS || Number(seconds) > PAUSE_MAX_SECONDS) return marker
  }
  return undefined
}

/** Whether an input holds at least one pause marker. */
export function hasPauses(input: string): boolean {
  return input.search(MARKER) !== -1
}

/** Markers of realistic length. A piece must be able to hold a whole marker. */
const BOUNDED_MARKER = /\[pause \d{1,9}(?:\.\d{1,9})?s\]/g

/** Longest marker that stays whole, in characters. */
const MARKER_MAX_CHARACTERS = 28

/** Overwrites every pause marker of a text. All other characters stay in place. */
export function hidePauses(text: string, filler: string): string {
  return text.replace(BOUNDED_MARKER, (marker) => filler.repeat(marker.length))
}

/** Moves a cut inside a pause marker: before the marker, or after it if the marker comes first. */
export function besidePause(text: string, cut: number): number {
  for (const { index, 0: marker } of text.matchAll(BOUNDED_MARKER)) {
    if (index >= cut) break
    if (cut < index + marker.length) return index === 0 ? marker.length : index
  }
  return cut
}

/** The start of an incomplete pause marker at the end of a text, or the length of the text. */
export function unfinishedPause(text: string): number {
  const from = text.lastIndexOf('[')
  if (from < 0 || from < text.length - MARKER_MAX_CHARACTERS) return text.length
  const tail = text.slice(from)
  return '[pause '.startsWith(tail) || /^\[pause \d{1,9}(?:\.\d{0,9})?s?$/.test(tail) ? from : text.length
}

/** A text for captions: without pause markers and the spaces around them. */
export function withoutPauses(text: string): string {
  return text
    .split(BOUNDED_MARKER)
    .map((part, index) => (index === 0 ? part : part.replace(/^[ \t]/, '')))
    .join('')
    .trim()
}
