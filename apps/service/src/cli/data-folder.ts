import { access, constants, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/**
 * Tells whether a folder exists. Checks a missing folder's parents too. Writes nothing.
 * @returns `false` when the folder is missing and can be made
 * @throws Error naming the obstacle
 */
export async function checkFolder(path: string): Promise<boolean> {
  const nearest = await nearestTo(path)
  const exists = nearest === resolve(path)
  const place = exists ? path : `${path} is missing and cannot be made: ${nearest}`
  if (!(await stat(nearest)).isDirectory()) throw new Error(`${place} is not a folder. Choose another --data-dir`)
  if (!(await isWritable(nearest))) throw new Error(`${place} is not writable. Choose another --data-dir`)
  return exists
}

/** Finds the nearest existing path: the path itself or a folder above it. */
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

/** A path below a file gives ENOTDIR: it does not exist either. */
function isAbsence(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}

function isWritable(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
}
