const SENTENCE_END = /[.!?…。！？]["'”’»)\]]*\s*$/u
const CODE = /[{}<>=$;|\\`]|\(\)|\w\(|^\s*(?:#|\/\/|\$|>)|[\w]\.[a-z]\w|_\w/m

/**
 * Whether an indented block is text: sentences of words, without signs of code. Authors indent the first line of a
 * paragraph, and CommonMark treats it as code.
 */
export function looksLikeProse(text: string): boolean {
  if (!SENTENCE_END.test(text) || CODE.test(text)) return false
  const words = text.match(/[\p{L}\p{M}’'-]+/gu)?.length ?? 0
  return words >= 5 || /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]{5}/u.test(text)
}
