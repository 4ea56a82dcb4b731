import { checkOptions, type ReadMarkdownOptions } from '../options.ts'
import { createTextSplitter, splitSentences, type TextSplitter } from '../sentences/index.ts'
import { Paragraphs } from './paragraphs.ts'
import { speakable } from './read-markdown.ts'
import { ReasoningFilter } from './reasoning-filter.ts'

/** Options of {@link createAnswerReader}. */
export type AnswerReaderOptions = Omit<ReadMarkdownOptions, 'mdx'>

/**
 * The sentences of a language model's answer as a person reads them aloud, while it is written. Blocks of Markdown are
 * read first, then sentences are split: no bar of a table, mark or comment of code is spoken, and reasoning in tags such
 * as `<think>` is left out. A sentence comes as soon as no later text of its paragraph can change it. The sentences are
 * those of {@link answerSentences}, whatever the pieces.
 *
 * @throws TextOptionError naming the option
 */
export function createAnswerReader(options: AnswerReaderOptions = {}): TextSplitter {
  checkOptions('markdown', options)
  return new AnswerReader(options)
}

/**
 * The sentences of a whole answer: those of `createAnswerReader()`.
 *
 * @throws TextOptionError naming the option
 */
export function answerSentences(text: string, options: AnswerReaderOptions = {}): string[] {
  const reader = createAnswerReader(options)
  return [...reader.push(text), ...reader.end()]
}

/** Behind one of these, a sentence may have ended, or a row or an item of a list. */
const MAY_END = /[\p{Sentence_Terminal}][\p{Pe}\p{Pf}"'*_~`]*(?=\s)|[。！？．｡][\p{Pe}\p{Pf}]*|\n/gu

class AnswerReader implements TextSplitter {
  readonly #options: AnswerReaderOptions
  readonly #reasoning = new ReasoningFilter()
  readonly #paragraphs = new Paragraphs()
  /** Paragraphs of nothing but pause markers. They belong to the next one. */
  #pauses = ''
  /** Sentences of the open paragraph that were handed out. */
  #handed = 0
  /** Length of the open paragraph's source up to which it was read. */
  #read = 0

  constructor(options: AnswerReaderOptions) {
    this.#options = options
  }

  push(chunk: string): string[] {
    return this.#add(this.#reasoning.push(chunk))
  }

  end(): string[] {
    const sentences = [...this.#add(this.#reasoning.end()), ...this.#endParagraph(this.#paragraphs.end())]
    const pauses = this.#pauses.trim()
    this.#pauses = ''
    return pauses === '' ? sentences : [...sentences, pauses]
  }

  #add(text: string): string[] {
    const sentences: string[] = []
    for (const paragraph of this.#paragraphs.push(text)) sentences.push(...this.#endParagraph(paragraph))
    if (!this.#paragraphs.isSilent) sentences.push(...this.#readAhead(this.#paragraphs.open))
    return sentences
  }

  /** Reads the sentences of an open paragraph that later text of it cannot change. */
  #readAhead(source: string): string[] {
    const stop = this.#lastStop(source)
    if (stop === undefined) return []
    this.#read = stop.at
    for (const end of [stop.wordEnd, stop.at]) {
      if (end === undefined || hasOpenFormula(source.slice(0, end))) continue
      const text = readTo(source, { end, isLine: stop.isLine }, this.#options)
      if (isCertain(text)) return this.#hand(createTextSplitter(this.#language).push(this.#pauses + text))
    }
    return []
  }

  #endParagraph(source: string): string[] {
    const text = speakable(withDefinitions(source), this.#options)
    if (ONLY_PAUSES.test(text)) {
      this.#pauses += `${text}\n\n`
      return []
    }
    const sentences = text === '' ? [] : this.#hand(splitSentences(this.#pauses + text, this.#language))
    if (text !== '') this.#pauses = ''
    this.#handed = 0
    this.#read = 0
    return sentences
  }

  get #language(): { readonly language?: string } {
    const { language } = this.#options
    return language === undefined ? {} : { language }
  }

  /** Hands on what is new. @param sentences Those of the paragraph so far. */
  #hand(sentences: readonly string[]): string[] {
    const fresh = sentences.slice(this.#handed)
    this.#handed = Math.max(this.#handed, sentences.length)
    return fresh
  }

  /** The last place where a sentence, an item or a row may have ended, and where the words behind it end. */
  #lastStop(source: string): Stop | undefined {
    let found: Stop | undefined
    MAY_END.lastIndex = Math.max(this.#paragraphs.silentLength, this.#read - 1)
    for (let match = MAY_END.exec(source); match !== null; match = MAY_END.exec(source)) {
      const isLine = match[0] === '\n'
      const at = isLine ? match.index : MAY_END.lastIndex
      if (at <= this.#read || !isComplete(source, at, isLine)) continue
      // The next word shows whether the sentence has ended.
      const words = isLine ? undefined : WORDS.exec(source.slice(at))?.[0]
      if (isLine || words !== undefined)
        found = { at, isLine, wordEnd: words === undefined ? undefined : at + words.length }
    }
    return found
  }
}

/** A place where a sentence, an item of a list or a row of a table may have ended. */
interface Stop {
  readonly at: number
  /** Whether a line ends there. */
  readonly isLine: boolean
  /** Where the words behind it end. */
  readonly wordEnd: number | undefined
}

/** The words behind a stop, up to the last space or comma. The last word may not be complete. */
const WORDS = /^\s*(?:\S[^\n|]*\S|\S)(?=[ \t])|^[^\n|]*[，、；：]/

/** Pause markers without words. */
const ONLY_PAUSES = /^(?:\[pause [^\]]*\]\s*)+$/

/** A line with nothing but marks of lists and quotations. */
const ONLY_MARKS = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]*)+$/

/** Speakable text of the beginning of a paragraph. */
function readTo(
  source: string,
  { end, isLine }: { end: number; isLine: boolean },
  options: AnswerReaderOptions,
): string {
  const part = source.slice(0, end)
  const text = speakable(withDefinitions(part), options)
  if (isLine) return `${text}\n\n`
  if (!/[ \t]/.test(source.charAt(end))) return text
  // A full stop may have been added to the last word.
  return `${text.replace(/(?<=[\p{L}\p{N}])\.$/u, '')} `
}

/** Whether a formula has begun and not ended. Its marks are not in the spoken text. */
function hasOpenFormula(source: string): boolean {
  const count = (mark: string): number => source.split(mark).length
  return count('\\(') > count('\\)') || count('\\[') > count('\\]')
}

/** A line that begins another item or row, so that the one above it is complete. */
const NEXT_BLOCK = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+[^-*\s]|\|)/

/**
 * Whether the source may be read up to an index.
 * @param isLine Whether a line ends there, or else a sentence.
 */
function isComplete(source: string, at: number, isLine: boolean): boolean {
  if (isLine) return NEXT_BLOCK.test(source.slice(at + 1))
  const line = source.slice(source.lastIndexOf('\n', at - 1) + 1, at)
  // A cell is read with its row, and "2." is no sentence.
  return !line.includes('|') && !ONLY_MARKS.test(line)
}

/**
 * Whether later text cannot change spoken text: no mark stands in it that another one may close. A complete mark is not in
 * the spoken text any more.
 */
function isCertain(text: string): boolean {
  const rest = text
    // These close nothing: signs between numbers, prices, names in code, comparisons.
    .replaceAll(/(?<=[\p{L}\p{N}])_(?=[\p{L}\p{N}])| \* |\$(?=\d)|<(?=[\s\d])/gu, '')
    .replaceAll(/\[[^[\]()]*\](?![([:])/g, '')
  return !/[*_`[<|~]|\$|\{\{|\\[([]|\]\(|:::/.test(rest)
}

/** A link by reference whose definition stands in another paragraph, or nowhere. */
const REFERENCE = /\[[^[\]]*\p{L}[^[\]]*\]\[([^[\]]+)\]/gu

/** Defines the references of a paragraph, so that they are read as the links that they are. */
function withDefinitions(source: string): string {
  const labels = [...source.matchAll(REFERENCE)].map(([, label = '']) => label)
  return labels.length === 0 ? source : `${source}\n\n${labels.map((label) => `[${label}]: <#>`).join('\n')}\n`
}
