/**
 * What the program would read as a command: control characters begin commands, some of which play files, and `[[`
 * begins the names of phonemes.
 */
const CONTROL = /\p{Cc}/gu
const PHONEMES = /\[(?=\[)/g

/** A letter, a digit, or a sign that is read as a word. */
const SPOKEN = /[\p{L}\p{N}%&+=@#$€£¥§©®°]/u

/**
 * Converts a text to the program's input.
 * @returns The empty string when nothing would be heard.
 */
export function toSpeakable(text: string): string {
  if (!SPOKEN.test(text)) return ''
  return text.toWellFormed().replaceAll(CONTROL, ' ').replaceAll(PHONEMES, '[ ').trim()
}
