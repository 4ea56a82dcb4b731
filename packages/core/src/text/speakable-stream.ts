import { closesFence, type Fence, openedFence } from './markdown-lines.ts'
import type { SpeakableOptions } from './speakable-options.ts'
import { speakable } from './speakable.ts'

/** Most characters that are held until a paragraph ends. */
const PARAGRAPH_MAX = 16_384

/**
 * {@link speakable} for streamed text, paragraph by paragraph, since what a mark means shows only behind it. A paragraph
 * of more than 16,384 characters is taken in parts. Addresses that a `[label]: address` line gives elsewhere are not
 * known; everything else is as in the whole text.
 */
export async function* speakableStream(
  chunks: AsyncIterable<string>,
  options: SpeakableOptions = {},
): AsyncGenerator<string, void, undefined> {
  const paragraphs = new Paragraphs()
  for await (const chunk of chunks) {
    for (const paragraph of paragraphs.push(chunk)) yield speakable(paragraph, options)
  }
  const rest = paragraphs.end()
  if (rest !== '') yield speakable(rest, options)
}

/** Cuts streamed text behind its empty lines, but not within fenced code. */
class Paragraphs {
  #held: string[] = []
  #line = ''
  #length = 0
  #fence: Fence | undefined;

  *push(chunk: string): Generator<string, void, undefined> {
    const lines = (this.#line + chunk).split(/(?<=\n)/)
    this.#line = lines.at(-1)?.endsWith('\n') === true ? '' : (lines.pop() ?? '')
    for (const line of lines) {
      const ends = this.#ends(line)
      this.#held.push(line)
      this.#length += line.length
      if (ends || this.#length > PARAGRAPH_MAX) yield this.#take()
    }
    if (this.#line.length > PARAGRAPH_MAX) {
      this.#held.push(this.#line)
      this.#line = ''
      yield this.#take()
    }
  }

  end(): string {
    this.#held.push(this.#line)
    this.#line = ''
    return this.#take()
  }

  #ends(line: string): boolean {
    const content = line.replace(/^(?: {0,3}> ?)+/, '')
    if (this.#fence !== undefined) {
      if (closesFence(content, this.#fence)) this.#fence = undefined
      return false
    }
    this.#fence = openedFence(content, content !== line)
    return this.#fence === undefined && content.trim() === ''
  }

  #take(): string {
    const text = this.#held.join('')
    this.#held = []
    this.#length = 0
    return text
  }
}
