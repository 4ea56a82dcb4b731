/** Longest file name that is passed on, in characters: what common file systems hold. */
const MAX_LENGTH = 255

/**
 * A file name that can be logged, shown and sent on: its last path part, well-formed, without control characters, line
 * separators and marks that turn the writing direction. It is still the client's word and names no file on this machine.
 *
 * @returns `undefined` when nothing is left.
 */
export function cleanFileName(name: string | undefined): string | undefined {
  const cleaned = name
    ?.toWellFormed()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, '')
    .split(/[/\\]/)
    .at(-1)
    ?.trim()
  if (cleaned === undefined || cleaned === '' || cleaned === '.' || cleaned === '..') return undefined
  // The end of a name is its extension, so the front is what gets lost.
  return cleaned.slice(-MAX_LENGTH).toWellFormed()
}
