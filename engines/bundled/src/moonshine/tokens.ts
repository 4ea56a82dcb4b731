/** Begins a text. */
export const BEGIN = 1

/** Ends a text. */
export const END = 2

/** Stands for a space in the texts of tokens. */
const SPACE = '▁'

/** The first tokens after those of single bytes. A token that was made earlier from two others has a lower number. */
const FIRST_BYTE = 3
const FIRST_TEXT = 259

/** The model sometimes writes a mark twice. Three stops are an ellipsis. */
const DOUBLED = /(?<![.,?!])([.,?!])\1(?![.,?!])/g

/** Tokens from here on are marks, not text. */
const FIRST_MARK = 32_000

/** The tokens of Moonshine: pieces of words, and single bytes for the rest. */
export class Tokens {
  readonly #bytes: readonly Uint8Array[]
  readonly #ids = new Map<string, number>()

  /** @param content The file of tokens: for each its length, in one byte or two, and its bytes. */
  constructor(content: Uint8Array) {
    const bytes: Uint8Array[] = []
    for (let at = 0; at < content.length;) {
      let length = content[at] ?? 0
      at += 1
      if (length >= 128) {
        length = (content[at] ?? 0) * 128 + length - 128
        at += 1
      }
      bytes.push(content.subarray(at, at + length))
      at += length
    }
    this.#bytes = bytes
    const decoder = new TextDecoder()
    for (let id = Math.min(FIRST_MARK, bytes.length) - 1; id >= FIRST_TEXT; id -= 1) {
      this.#ids.set(decoder.decode(bytes[id]), id)
    }
  }

  /** Returns the text of tokens. */
  decode(ids: readonly number[]): string {
    const parts = ids.filter((id) => id < FIRST_MARK && id > END).map((id) => this.#bytes[id] ?? new Uint8Array())
    const text = Buffer.concat(parts).toString('utf8').replaceAll(SPACE, ' ')
    return text.replaceAll(DOUBLED, '$1').replaceAll(/ {2,}/g, ' ').trim()
  }

  /** Whether a token continues the word before it: it begins with a letter or a digit. */
  continues(id: number): boolean {
    return id < FIRST_MARK && /^[\p{L}\p{N}]/u.test(Buffer.from(this.#bytes[id] ?? []).toString('utf8'))
  }

  /**
   * Returns the tokens of a text as the model was taught them: joins the neighbours whose token has the lowest number,
   * again and again.
   * @param text Spaces before words included.
   */
  encode(text: string): number[] {
    let parts: string[] = Array.from(text.replaceAll(' ', SPACE))
    for (;;) {
      let [best, at] = [Infinity, -1]
      for (let index = 0; index + 1 < parts.length; index += 1) {
        const id = this.#ids.get(`${parts[index]}${parts[index + 1]}`) ?? Infinity
        if (id < best) [best, at] = [id, index]
      }
      if (at === -1) break
      parts = [...parts.slice(0, at), `${parts[at]}${parts[at + 1]}`, ...parts.slice(at + 2)]
    }
    return parts.flatMap((part) => this.#ids.get(part) ?? Array.from(Buffer.from(part), (byte) => byte + FIRST_BYTE))
  }
}
