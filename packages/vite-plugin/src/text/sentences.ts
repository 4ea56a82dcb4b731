/** A sentence that needs no full stop: it ends with one of these, perhaps inside quotes or brackets. */
const ENDED = /[.!?:;…。！？：；](?:["'”’»)\]]|\[pause [^\]]*\])*$/u

/** Adds a full stop where there is no end mark, so that a heading or a list item is not read into what follows. */
export function endSentence(text: string): string {
  return text === '' || ENDED.test(text) ? text : `${text}.`
}

/** One line: white space of every kind becomes single spaces, soft hyphens and zero-width characters go. */
export function tidy(text: string): string {
  return text
    .replace(/[\u00AD\u200B\u2060\uFEFF]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}

/** Paragraphs as one text; empty ones are left out. */
export function joinParagraphs(paragraphs: readonly string[]): string {
  return paragraphs.filter((paragraph) => paragraph !== '').join('\n\n')
}
