// Marks are noncharacters of Unicode, which no text holds.

/** Stands for something that was left out: of the white space around it, one side goes too. */
export const LEFT_OUT = '\uFDD0'
/** Stands for a hard line break. */
export const LINE_BREAK = '\u2028'
/** Stands for a space between two words, and for nothing beside punctuation. */
export const WORD_GAP = '\uFDD1'
/** Stands between two cells of a table row. */
export const CELL_GAP = '\uFDD2'

/** Scripts that put no white space between words. */
const UNSPACED = '\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}'
const UNSPACED_LINE_END = new RegExp(`(?<=[${UNSPACED}])[ \\t]*\\r?\\n\\s*(?=[${UNSPACED}])`, 'gu')
/** Soft hyphens, zero-width spaces and byte order marks: they are not spoken, and split words. */
const INVISIBLE = /[\u00AD\u200B\u2060\uFEFF]/g

const MARKS = /[\uFDD0-\uFDD2]/g

/** Removes what this package uses as marks from a source. */
export function withoutMarks(source: string): string {
  return source.replaceAll(MARKS, '').replaceAll('\u2028', '\n')
}

/** Puts white space in order and resolves the marks: lines end with `\n` only where a hard break stood. */
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

/** A text as it stands: only the marks are resolved. */
export function resolveMarks(text: string): string {
  return text.replaceAll(MARKS, '').replaceAll(LINE_BREAK, '\n')
}

/** @param gap Spaces and {@link LEFT_OUT} marks. */
function closeGap(gap: string, index: number, text: string): string {
  const behind = text.charAt(index + gap.length)
  if (!gap.includes(' ') || /^[.,;:!?…)\]\u2028]?$/.test(behind)) return ''
  return index === 0 ? '' : ' '
}
