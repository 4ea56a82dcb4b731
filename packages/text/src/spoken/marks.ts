// Marks are Unicode noncharacters. No text contains them.

/** Marks an omission. The white space on one side of it is removed too. */
export const LEFT_OUT = '\uFDD0'
/** Marks a hard line break. */
export const LINE_BREAK = '\u2028'
/** Becomes a space between two words, and nothing next to punctuation. */
export const WORD_GAP = '\uFDD1'
/** Separates two cells of a table row. */
export const CELL_GAP = '\uFDD2'

/** Scripts without white space between words. */
const UNSPACED = '\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}'
const UNSPACED_LINE_END = new RegExp(`(?<=[${UNSPACED}])[ \\t]*\\r?\\n\\s*(?=[${UNSPACED}])`, 'gu')
/** Soft hyphens, zero-width spaces and byte order marks: they are not spoken, and split words. */
const INVISIBLE = /[\u00AD\u200B\u2060\uFEFF]/g

const MARKS = /[\uFDD0-\uFDD2]/g

/** Removes the marks of this package from a source. */
export function withoutMarks(source: string): string {
  return source.replaceAll(MARKS, '').replaceAll('\u2028', '\n')
}

/** Normalizes white space and resolves the marks. Only a hard line break becomes `\n`. */
export function tidy(text: string): string {
  return text
    .replaceAll(INVISIBLE, '')
    .replaceAll(UNSPACED_LINE_END, '')
    .replaceAll(/[^\S\u2028]+/g, ' ')
    .replaceAll(/(?<=[\p{L}\p{N}])\uFDD1+(?=[\p{L}\p{N}])/gu, ' ')
    .replaceAll('\uFDD1', '')
    .replaceAll(/[ \uFDD0]*\uFDD0[ \uFDD0]*/g, closeGap)
    .replaceAll(/(?<![.!?:;,]) *\uFDD2 */g, ', ')
    .replaceAll(/ *\uFDD2 */g, ' ')
    .replaceAll(/[ \u2028]*\u2028[ \u2028]*/g, '\n')
    .trim()
}

/** Resolves the marks and changes nothing else. */
export function resolveMarks(text: string): string {
  return text.replaceAll(MARKS, '').replaceAll(LINE_BREAK, '\n')
}

/** @param gap Spaces and {@link LEFT_OUT} marks. */
function closeGap(gap: string, index: number, text: string): string {
  const behind = text.charAt(index + gap.length)
  if (!gap.includes(' ') || /^[.,;:!?…)\]\u2028]?$/.test(behind)) return ''
  return index === 0 ? '' : ' '
}

/** The end of a text that needs no full stop: punctuation, optionally inside quotation marks or brackets. */
const ENDED = /[.!?:;,…。！？：；，、।॥؟۔][\s"'”’»›)\]」』】》]*$/u
const PAUSES = /(?:\s*\[pause \d+(?:\.\d+)?s\])+$/
/** Characters to check at the end of a text. */
const END_LENGTH = 40

/** Adds a full stop to a text without final punctuation. Pause markers stay at the end. */
export function withEndMark(text: string): string {
  const pauses = PAUSES.exec(text.slice(-200))?.[0] ?? ''
  const words = text.slice(0, text.length - pauses.length)
  if (words === '' || ENDED.test(words.slice(-END_LENGTH))) return text
  return `${words}${fullStop(words)}${pauses}`
}

/** The full stop of the script at the end of a text. */
function fullStop(text: string): string {
  const last = text.slice(-END_LENGTH).match(/\p{L}/gu)?.at(-1) ?? ''
  if (/[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]/u.test(last)) return '。'
  if (/[\p{scx=Deva}\p{scx=Beng}]/u.test(last)) return '।'
  return '.'
}
