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
