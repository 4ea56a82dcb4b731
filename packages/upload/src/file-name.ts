/** Longest forwarded file name, in characters: the limit of common file systems. */
const MAX_LENGTH = 255

/**
 * A file name that is safe to log, show and forward: its last path part, well-formed, without control characters, line
 * separators and direction marks. It is still the client's text and names no file on this machine.
 * @returns `undefined` for an empty result.
 */
export function cleanFileName(name: string | undefined): string | undefined {
  const cleaned = name
    ?.toWellFormed()
    // Browsers write a quotation mark so (HTML, multipart/form-data encoding algorithm).
    .replaceAll('%22', '"')
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, '')
    .split(/[/\\]/)
    .at(-1)
    ?.trim()
  if (cleaned === undefined || cleaned === '' || cleaned === '.' || cleaned === '..') return undefined
  // A long name loses its front and keeps its extension.
  return cleaned.slice(-MAX_LENGTH).toWellFormed()
}
