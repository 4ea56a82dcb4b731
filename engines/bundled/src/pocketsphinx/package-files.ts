import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { EngineFailedError } from '@svc-audio/engine-ports'
import type { PocketSphinxFiles } from '@svc-audio/pocketsphinx-en'
import type { ModelFile } from './decoder.ts'
import { importOptional } from '../import-optional.ts'

/** What the threads of a recognizer run. */
export interface PocketSphinx {
  /** Paths of the module, its JavaScript and the model. */
  readonly files: PocketSphinxFiles
  /** Size of the module's memory, in bytes. */
  readonly memoryBytes: number
}

/** Finds the installed recognizer. @throws EngineFailedError that names the package when it is missing */
export async function findPocketSphinx(): Promise<PocketSphinx> {
  const found = await importOptional('@svc-audio/pocketsphinx-en', () => import('@svc-audio/pocketsphinx-en'))
  if (found === undefined) {
    throw new EngineFailedError(
      'The bundled recognizer is not installed. Run `npm install @svc-audio/pocketsphinx-en`, or name another engine in the file of engines.',
    )
  }
  return { files: found.pocketSphinxFiles, memoryBytes: found.MEMORY_BYTES }
}

/** Reads the English model: 37 MB, on this thread. */
export function readModelFiles({ model }: PocketSphinxFiles): ModelFile[] {
  return readdirSync(model).map((name) => ({ name, content: readFileSync(join(model, name)) }))
}
