import { errorCode } from '../domain/error-code.ts'

/** The packages that a setting needs, so that one command installs all of them. */
const PACKAGES = {
  DATABASE_URL: ['pg'],
  S3_BUCKET: ['@aws-sdk/client-s3', '@aws-sdk/lib-storage', '@aws-sdk/s3-request-presigner'],
} as const

/** A setting that needs optional packages. */
export type OptionalSetting = keyof typeof PACKAGES

/** A setting needs a package that is not installed. */
export class MissingPackageError extends Error {
  override readonly name = 'MissingPackageError' as const

  /**
   * @param name Name of the package.
   * @param setting The setting that needs it.
   */
  constructor(name: string, setting: OptionalSetting) {
    super(`${setting} needs the package ${name}. Run npm install ${PACKAGES[setting].join(' ')}`)
  }
}

/**
 * Loads a package that only some settings need.
 * @throws MissingPackageError
 */
export async function loadOptional<T>(name: string, setting: OptionalSetting, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    if (errorCode(error) === 'ERR_MODULE_NOT_FOUND') throw new MissingPackageError(name, setting)
    throw error
  }
}
