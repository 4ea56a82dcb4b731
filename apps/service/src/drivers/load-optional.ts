import { errorCode } from '../domain/error-code.ts'

/** A setting needs a package that is not installed. */
export class MissingPackageError extends Error {
  override readonly name = 'MissingPackageError' as const

  /**
   * @param name Name of the package.
   * @param setting The setting that needs it.
   */
  constructor(name: string, setting: string) {
    super(`${setting} needs the package ${name}: install it with npm install ${name}`)
  }
}

/**
 * Loads a package that only some settings need.
 * @throws MissingPackageError
 */
export async function loadOptional<T>(name: string, setting: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    if (errorCode(error) === 'ERR_MODULE_NOT_FOUND') throw new MissingPackageError(name, setting)
    throw error
  }
}
