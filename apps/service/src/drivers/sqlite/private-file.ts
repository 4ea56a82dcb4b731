import { closeSync, constants, fchmodSync, openSync } from 'node:fs'

/**
 * Makes a file readable for its user only, whatever it was before. A file that cannot be opened stays as it is: SQLite
 * reports the reason.
 * @param options.make Whether to make a missing file.
 */
export function makePrivate(path: string, { make }: { readonly make: boolean }): void {
  let file: number
  try {
    file = openSync(path, constants.O_RDWR | (make ? constants.O_CREAT : 0), 0o600)
  } catch {
    return
  }
  try {
    fchmodSync(file, 0o600)
  } catch {
    // A file of another user, such as one of a mounted volume, keeps its mode.
  } finally {
    closeSync(file)
  }
}
