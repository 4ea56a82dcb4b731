/** `the(2)`: the second and further pronunciations of a word. */
const ENTRY = /^(?<word>\S+?)(?:\(\d+\))?\s+(?<phones>\S.*)$/

/** A pronouncing dictionary in PocketSphinx's format: a word and its phones on each line. */
export class Dictionary {
  readonly #text: string

  constructor(content: Uint8Array) {
    this.#text = `\n${Buffer.from(content).toString('latin1')}`
  }

  /** Returns all pronunciations of a lower-case word: phones with spaces between; none when it is unknown. */
  pronunciations(word: string): string[] {
    const found: string[] = []
    for (let count = 1; ; count += 1) {
      const phones = this.#phonesAfter(`\n${word}${count === 1 ? '' : `(${count})`} `)
      if (phones === undefined) return found
      found.push(phones)
    }
  }

  /** Makes a dictionary with only these words. */
  only(words: ReadonlySet<string>): string {
    const lines = this.#text.split('\n').filter((line) => words.has(ENTRY.exec(line)?.groups?.['word'] ?? ''))
    return `${lines.join('\n')}\n`
  }

  #phonesAfter(entry: string): string | undefined {
    const at = this.#text.indexOf(entry)
    if (at === -1) return undefined
    const from = at + entry.length
    const end = this.#text.indexOf('\n', from)
    return this.#text.slice(from, end === -1 ? undefined : end).trim()
  }
}
