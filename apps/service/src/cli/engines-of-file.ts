import type { FileEngine } from '../engines-file/engines.ts'
import { EnginesFileError, readEnginesFile } from '../engines-file/read.ts'
import { UsageError } from './errors.ts'

/**
 * Reads the engines of the file for a command.
 * @param only Name of the one to return. @default all of them
 * @throws UsageError without a file, for a mistake in it, and for an unknown name
 */
export async function enginesOfFile(
  { enginesFile, dataDir }: { readonly enginesFile?: string | undefined; readonly dataDir: string },
  only?: string,
): Promise<readonly FileEngine[]> {
  if (enginesFile === undefined) throw new UsageError('There is no file of engines: name one with --engines')
  const { engines } = await readEnginesFile(enginesFile, { dataDir }).catch((error: unknown) => {
    throw error instanceof EnginesFileError ? new UsageError(error.message, { cause: error }) : error
  })
  if (only === undefined) return engines
  const found = engines.filter(({ name }) => name === only)
  if (found.length > 0) return found
  throw new UsageError(`The file has no engine ${only}: use one of ${engines.map(({ name }) => name).join(', ')}`)
}
