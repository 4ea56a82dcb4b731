import type { ReadHtmlOptions } from '../options.ts'
import { LEFT_OUT } from './marks.ts'

/** A formula that can be spoken unchanged: a name, a number, a short sum. */
const SIMPLE = /^[\p{L}\p{N}\s.,+=<>()-]{1,24}$/u
const DISPLAY = /\$\$[^$]{1,2000}\$\$|\\\[[\s\S]{1,2000}?\\\]/g
const INLINE = /\\\(([\s\S]{1,500}?)\\\)/g

/** The spoken form of a TeX formula. */
export function spokenFormula(tex: string, { math = 'skip' }: ReadHtmlOptions): string {
  return math === 'read' || SIMPLE.test(tex) ? tex.trim() : LEFT_OUT
}

/** Replaces `$$…$$`, `\[…\]` and `\(…\)` in the text of a page. */
export function spokenMath(text: string, options: ReadHtmlOptions): string {
  if (options.math === 'read' || !/\$\$|\\[[(]/.test(text)) return text
  return text.replaceAll(DISPLAY, LEFT_OUT).replaceAll(INLINE, (_, tex: string) => spokenFormula(tex, options))
}
