import { access, constants, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/**
 * Whether a folder is there, as far as can be told without writing; where it is not, whether it can be made.
 * @throws Error naming what stands in the way
 */
export async function checkFolder(path: string): Promise<boolean> {
  const nearest = await nearestTo(path)
  const exists = nearest === resolve(path)
  const place = exists ? path : `${path} is not there and cannot be made: ${nearest}`
  if (!(await stat(nearest)).isDirectory()) throw new Error(`${place} is no folder. Choose another --data-dir`)
  if (!(await isWritable(nearest))) throw new Error(`${place} cannot be written. Choose another --data-dir`)
  return exists
}

/** What is there of a path: it or the nearest above it. */
export async function nearestTo(path: string): Promise<string> {
  const whole = resolve(path)
  try {
    await stat(whole)
    return whole
  } catch (error) {
    if (!isAbsence(error)) throw error
    return nearestTo(dirname(whole))
  }
}

/** Below a file there is nothing either. */
function isAbsence(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}

function isWritable(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
}
