/** A sound of a word: an entry of the dictionary. */
export interface Sound {
  /** Its name in the dictionary. */
  readonly name: string
  /** Its phones, for a name that the dictionary lacks. */
  readonly phones?: string
}

/** A word of a text, with the marks around it, and what is spoken for it. */
export interface SpokenWord {
  readonly word: string
  /** At least one. */
  readonly sounds: readonly Sound[]
}

/**
 * Splits a text at its spaces, and finds what is spoken for each word. A mark that stands alone belongs to the word before
 * it, or at the start to the word after it.
 * @param soundOf Returns an empty text for a word of the dictionary, the phones of another word, `undefined` for one
 * without a sound.
 * @returns `undefined` when a word cannot be pronounced, or there is none.
 */
export function spokenWords(
  text: string,
  soundOf: (word: string) => string | undefined,
): readonly SpokenWord[] | undefined {
  const words: SpokenWord[] = []
  let before = ''
  for (const part of text.split(/\s+/)) {
    if (part === '') continue
    if (!/[\p{L}\p{N}]/u.test(part)) {
      const last = words.pop()
      if (last === undefined) before += `${part} `
      else words.push({ ...last, word: `${last.word} ${part}` })
      continue
    }
    const sounds = soundsOf(part, soundOf)
    if (sounds === undefined) return undefined
    words.push({ word: before + part, sounds })
    before = ''
  }
  return words.length === 0 ? undefined : words
}

function soundsOf(part: string, soundOf: (word: string) => string | undefined): Sound[] | undefined {
  const word = part.replaceAll(/^[^\p{L}\p{N}$£€#]+|[^\p{L}\p{N}%]+$/gu, '').replaceAll('’', "'")
  const entry = (text: string): Sound | undefined => {
    const name = text.toLowerCase()
    const phones = soundOf(name)
    if (phones === undefined) return undefined
    return phones === '' ? { name } : { name: `#${name}`, phones }
  }
  const whole = entry(word)
  if (whole !== undefined && whole.phones === undefined) return [whole]
  // The parts of `well-known` are in the dictionary more often than the whole.
  const parts = word.split(/[-/–—]/).filter((one) => /[\p{L}\p{N}]/u.test(one))
  if (parts.length < 2 || parts.some((one) => /\d/.test(one))) return whole === undefined ? undefined : [whole]
  const sounds = parts.map(entry)
  return sounds.every((sound) => sound !== undefined) ? sounds : undefined
}
