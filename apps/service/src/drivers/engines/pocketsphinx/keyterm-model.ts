import type { Pronounce } from '../flite/pronounce.ts'
import { MODEL, type ModelFile, type Pause } from './decoder.ts'
import { Dictionary } from './dictionary.ts'
import { keytermToken } from './keyterm-spelling.ts'
import { LanguageModel } from './language-model.ts'

/**
 * How probable a keyterm is wherever the words before it tell nothing: 865 of the 72,547 words are more so. An unusual
 * name has some billionths. docs/voices-and-engines.md says what it was measured with.
 */
const PROBABILITY = 1e-4

/** Most pronunciations of a keyterm. */
const MAX_PRONUNCIATIONS = 4

/** What letters are turned into sounds with. */
export interface KeytermTools {
  /** For words that the dictionary does not have. */
  readonly pronounce: Pronounce
  /** Called between two terms; throws to give up. */
  readonly pause: Pause
}

/**
 * The model with each keyterm, a phrase too, as one more word of dictionary and language model. What has no sound in
 * English is left out.
 * @returns `undefined` when nothing is left.
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
  // words that the language model does not have are never heard, and cost half of the time that loading takes
  const words = dictionary.only(language.words)
  const changed: Readonly<Record<string, Uint8Array>> = {
    [MODEL.dictionary]: Buffer.from(words + entries.join(''), 'latin1'),
    [MODEL.language]: language.with(tokens, PROBABILITY),
  }
  return files.map((file) => ({ ...file, content: changed[file.name] ?? file.content }))
}

/** All of the dictionary's for a single word; for a phrase, the first of each word, one after the other. */
function pronunciationsOf(term: string, dictionary: Dictionary, pronounce: Pronounce): string[] {
  const words = term.split(/\s+/).map((word) => {
    const known = dictionary.pronunciations(word.toLowerCase())
    return known.length > 0 ? known : [pronounce(word).join(' ')]
  })
  const [only, ...more] = words
  const all = more.length === 0 ? (only ?? []) : [words.map(([first = '']) => first).join(' ')]
  return all
    .map((phones) => phones.trim())
    .filter((phones) => phones !== '')
    .slice(0, MAX_PRONUNCIATIONS)
}
