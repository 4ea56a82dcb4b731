/** Markers of a length that somebody may write: what is cut at a limit must be able to hold one whole. */
const MARKER = /\[pause \d{1,9}(?:\.\d{1,9})?s\]/g

/** Longest marker that stays whole, in characters. */
export const MARKER_MAX_CHARACTERS = 28

/** A text with every pause marker overwritten, so that all other characters keep their places. */
export function hidePauses(text: string, filler: string): string {
  return text.replace(MARKER, (marker) => filler.repeat(marker.length))
}

/** Where a cut may be made that would go through a pause marker: before it, or behind it where it stands first. */
export function besidePause(text: string, cut: number): number {
  for (const { index, 0: marker } of text.matchAll(MARKER)) {
    if (index >= cut) break
    if (cut < index + marker.length) return index === 0 ? marker.length : index
  }
  return cut
}

/** Where a pause marker begins that the end of the text has cut off, or the text's length. */
export function unfinishedPause(text: string): number {
  const from = text.lastIndexOf('[')
  if (from < 0 || from < text.length - MARKER_MAX_CHARACTERS) return text.length
  const tail = text.slice(from)
  return '[pause '.startsWith(tail) || /^\[pause \d{1,9}(?:\.\d{0,9})?s?$/.test(tail) ? from : text.length
}

/** A text for captions: without its pause markers and the spaces that they leave. */
export function withoutPauses(text: string): string {
  return text
    .split(MARKER)
    .map((part, index) => (index === 0 ? part : part.replace(/^[ \t]/, '')))
    .join('')
    .trim()
}
