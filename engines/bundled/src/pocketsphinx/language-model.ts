/** The first bytes of a language model in PocketSphinx's binary format. */
const MAGIC = 'Trie Language Model'

/** A unigram: its probability and its back-off weight as floats, and the index of its first bigram. */
const UNIGRAM_BYTES = 12

/** The table of a quantized value, in bytes: 2^16 floats. */
const TABLE_BYTES = 65_536 * 4

/** The base of the model's logarithms. */
const LOG_BASE = 1.0001

/**
 * An n-gram language model in PocketSphinx's binary format. Reads its words, and makes a copy with more words. The file
 * is: magic, order, counts; quantization tables; unigrams and one more as their end; all other n-grams, packed; the
 * words, each ended by NUL.
 */
export class LanguageModel {
  readonly #file: Buffer
  readonly #order: number
  readonly #unigrams: number
  readonly #unigramsAt: number
  readonly #wordsAt: number

  /** @throws RangeError when the content is not such a model */
  constructor(content: Uint8Array) {
    const file = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
    if (file.toString('latin1', 0, MAGIC.length) !== MAGIC)
      throw new RangeError('The file is not a language model of PocketSphinx')
    this.#file = file
    this.#order = file.readUInt8(MAGIC.length)
    this.#unigrams = file.readUInt32LE(MAGIC.length + 1)
    const tables = 2 * (this.#order - 2) + 1
    this.#unigramsAt = MAGIC.length + 1 + 4 * this.#order + 4 + tables * TABLE_BYTES
    this.#wordsAt = this.#findWords()
    const end = this.#unigramsAt + this.#unigrams * UNIGRAM_BYTES
    if (file.readUInt32LE(this.#unigramsAt + 8) !== 0 || file.readBigUInt64LE(end) !== 0n) {
      throw new RangeError('The language model has an unsupported layout')
    }
  }

  /** All words. */
  get words(): Set<string> {
    return new Set(this.#file.toString('utf8', this.#wordsAt, this.#file.length - 1).split('\0'))
  }

  /**
   * Makes a copy with more words. Each has `probability` wherever the words before say nothing about it.
   * @param words Not among {@link LanguageModel.words}.
   * @throws RangeError when they are too many for the width of the file's word numbers
   */
  with(words: readonly string[], probability: number): Buffer {
    const file = this.#file
    const count = this.#unigrams + words.length
    // The packed part stays unchanged, and with it the width of the numbers in it.
    if (bitsOf(count) !== bitsOf(this.#unigrams)) throw new RangeError('Too many words for this language model')
    const end = this.#unigramsAt + this.#unigrams * UNIGRAM_BYTES
    const head = Buffer.from(file.subarray(0, this.#unigramsAt))
    head.writeUInt32LE(count, MAGIC.length + 1)
    const unigram = Buffer.alloc(UNIGRAM_BYTES)
    unigram.writeFloatLE(Math.log(probability) / Math.log(LOG_BASE), 0)
    unigram.writeUInt32LE(file.readUInt32LE(end + 8), 8)
    const added = Buffer.from(words.map((word) => `${word}\0`).join(''))
    const size = Buffer.alloc(4)
    size.writeUInt32LE(file.length - this.#wordsAt + added.length)
    return Buffer.concat([
      head,
      file.subarray(this.#unigramsAt, end),
      ...words.map(() => unigram),
      file.subarray(end, this.#wordsAt - 4),
      size,
      file.subarray(this.#wordsAt),
      added,
    ])
  }

  /** The words stand at the end behind their length. Their number is that of the unigrams. */
  #findWords(): number {
    let at = this.#file.length - 1
    for (let left = this.#unigrams; left > 0 && at > 0; left -= 1) at = this.#file.lastIndexOf(0, at - 1)
    const begin = at + 1
    if (begin < 5 || this.#file.readUInt32LE(begin - 4) !== this.#file.length - begin) {
      throw new RangeError('The language model has no word list at its end')
    }
    return begin
  }
}

function bitsOf(count: number): number {
  return Math.floor(Math.log2(count)) + 1
}
