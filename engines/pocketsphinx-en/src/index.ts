import { fileURLToPath } from 'node:url'

/** Memory of the module, in bytes. Only touched memory counts. */
export const MEMORY_BYTES: number = 192 * 1024 * 1024

/** Names of the model's files outside the acoustic model. */
export const MODEL: {
  /** Pronunciations of the words. */
  readonly dictionary: 'words.dict'
  /** Probabilities of word sequences. */
  readonly language: 'language.lm.bin'
} = { dictionary: 'words.dict', language: 'language.lm.bin' }

/** Paths of the files of this package. */
export interface PocketSphinxFiles {
  /** The WebAssembly module, made for {@link MEMORY_BYTES}. */
  readonly wasm: string
  /** The JavaScript that runs the module: a script that declares `Module`. It embeds no model. */
  readonly glue: string
  /** Folder of the English model: the acoustic model's files, and the two of {@link MODEL}. 37 MB. */
  readonly model: string
}

const path = (name: string): string => fileURLToPath(new URL(`../dist/files/${name}`, import.meta.url))

/** The recognizer and its English model. */
export const pocketSphinxFiles: PocketSphinxFiles = {
  wasm: path('pocketsphinx.wasm'),
  glue: path('pocketsphinx.js'),
  model: path('model'),
}
