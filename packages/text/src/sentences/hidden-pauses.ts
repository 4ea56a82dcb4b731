/** Markers of realistic length. A piece must be able to hold a whole marker. */
const MARKER = /\[pause \d{1,9}(?:\.\d{1,9})?s\]/g

/** Longest marker that stays whole, in characters. */
export const MARKER_MAX_CHARACTERS = 28

/** Overwrites every pause marker of a text. All other characters stay in place. */
export function hidePauses(text: string, filler: string): string {
  return text.replace(MARKER, (marker) => filler.repeat(marker.length))
}

/** Moves a cut inside a pause marker: before the marker, or after it if the marker comes first. */
export function besidePause(text: string, cut: number): number {
  for (const { index, 0: marker } of text.matchAll(MARKER)) {
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
    .split(MARKER)
    .map((part, index) => (index === 0 ? part : part.replace(/^[ \t]/, '')))
    .join('')
    .trim()
}
