import type { RecognizedWord } from '@svc-audio/engine-ports'
import type { Pronounce } from '../flite/program.ts'
import { MODEL, type ModelFile, type Pause } from './decoder.ts'
import { LanguageModel } from './language-model.ts'

/**
 * Probability of a keyterm where the words before say nothing about it. 865 of the 72,547 words have a higher one. An
 * unusual name has some billionths. docs/voices-and-engines.md describes the measurement.
 */
const PROBABILITY = 1e-4

/** Maximum pronunciations of a keyterm. */
const MAX_PRONUNCIATIONS = 4

/** Turns letters into sounds. */
export interface KeytermTools {
  /** For words that the dictionary lacks. */
  readonly pronounce: Pronounce
  /** Called between two terms. It throws to abort. */
  readonly pause: Pause
}

/**
 * Makes the model with each keyterm, also a phrase, as one more word of dictionary and language model. Drops terms
 * without a sound in English.
 * @returns `undefined` when no term is left.
 */
export async function modelWithKeyterms(
  files: readonly ModelFile[],
  keyterms: readonly string[],
  { pronounce, pause }: KeytermTools,
): Promise<ModelFile[] | undefined> {
  const content = (name: string): Uint8Array => files.find((file) => file.name === name)?.content ?? new Uint8Array(0)
  const dictionary = new Dictionary(content(MODEL.dictionary))
  const language = new LanguageModel(content(MODEL.language))
  const tokens: string[] = []
  const entries: string[] = []
  for (const [index, term] of keyterms.entries()) {
    await pause()
    const pronunciations = pronunciationsOf(term, dictionary, pronounce)
    if (pronunciations.length === 0) continue
    const token = keytermToken(index)
    tokens.push(token)
    entries.push(...pronunciations.map((phones, count) => `${token}${count === 0 ? '' : `(${count + 1})`} ${phones}\n`))
  }
  if (tokens.length === 0) return undefined
  // The decoder never hears words that the language model lacks. They would take half of the loading time.
  const words = dictionary.only(language.words)
  const changed: Readonly<Record<string, Uint8Array>> = {
    [MODEL.dictionary]: Buffer.from(words + entries.join(''), 'latin1'),
    [MODEL.language]: language.with(tokens, PROBABILITY),
  }
  return files.map((file) => ({ ...file, content: changed[file.name] ?? file.content }))
}

/** Every pronunciation of a single word. For a phrase, the first pronunciation of each word in sequence. */
function pronunciationsOf(term: string, dictionary: Dictionary, pronounce: Pronounce): string[] {
  const words = term.split(/\s+/).filter((word) => word !== '')
  const [only = '', ...more] = words
  const known = more.length === 0 ? dictionary.pronunciations(only.toLowerCase()) : []
  const all = known.length > 0 ? known : [pronunciationOf(words, dictionary, pronounce)]
  return all.filter((phones) => phones !== '').slice(0, MAX_PRONUNCIATIONS)
}

/**
 * Maximum calls of the pronouncer for a phrase. A call takes 10 ms, and a hundred terms may have fifty short words each. A
 * phrase that needs more is pronounced as a whole.
 */
const MAX_CALLS = 2

function pronunciationOf(words: readonly string[], dictionary: Dictionary, pronounce: Pronounce): string {
  // Neighbours that the dictionary lacks are pronounced together.
  const parts: { readonly known: string | undefined; readonly words: string[] }[] = []
  for (const word of words) {
    const known = dictionary.pronunciations(word.toLowerCase())[0]
    const last = parts.at(-1)
    if (known === undefined && last !== undefined && last.known === undefined) last.words.push(word)
    else parts.push({ known, words: [word] })
  }
  const calls = parts.filter(({ known }) => known === undefined).length
  const phones =
    calls > MAX_CALLS
      ? pronounce(words.join(' '))
      : parts.flatMap((part) => part.known ?? pronounce(part.words.join(' ')))
  return phones.join(' ').trim()
}

/** Formats a keyterm's name in the dictionary. It is a word of no language, whatever the term is. */
export function keytermToken(index: number): string {
  return `#${index}`
}

const TOKEN = /^#(\d+)$/

/**
 * Restores the spelling of keyterms in recognized words. Replaces a keyterm's token, and a row of plain words that
 * equals a term except for case.
 */
export function spellKeyterms(words: readonly RecognizedWord[], keyterms: readonly string[]): RecognizedWord[] {
  const terms = keyterms.map((term) => ({ term, parts: term.toLowerCase().split(/\s+/) }))
  // The longest term first: a part of another term must not take words from it.
  terms.sort((one, other) => other.parts.length - one.parts.length)
  const spelled: RecognizedWord[] = []
  for (let at = 0; at < words.length;) {
    const found = terms.find(({ parts }) => parts.every((part, index) => words[at + index]?.word === part))
    const run = words.slice(at, at + (found?.parts.length ?? 1))
    const [first, last] = [run[0], run.at(-1)]
    if (first !== undefined && last !== undefined) {
      const word = found?.term ?? keyterms[Number(TOKEN.exec(first.word)?.[1])] ?? first.word
      spelled.push({ word, startSecond: first.startSecond, endSecond: last.endSecond })
    }
    at += run.length
  }
  return spelled
}

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
