import { ConfigurationError } from '../errors/configuration-error.ts'
import type { FileAccess, FileSink } from './uploads.ts'

/**
 * Writes a file that appears only once `write` has succeeded; otherwise nothing of it stays.
 * @throws ConfigurationError where there is no access to files
 */
export async function saveFile<Result>(
  files: FileAccess | undefined,
  path: string,
  write: (sink: FileSink) => Promise<Result>,
): Promise<Result> {
  if (files === undefined)
    throw new ConfigurationError('path: this client has no access to files: use bytes() or stream()')
  const sink = await needFiles(files, 'path').create(path)
  try {
    const result = await write(sink)
    await sink.commit()
    return result
  } catch (error) {
    await sink.discard()
    throw error
  }
}

/** @throws ConfigurationError where there is no access to files */
export function needFiles(files: FileAccess | undefined, param: string): FileAccess {
  if (files !== undefined) return files
  throw new ConfigurationError(`${param}: this client has no access to files, only to bytes and streams`)
}
