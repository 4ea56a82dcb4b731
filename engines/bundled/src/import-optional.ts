/**
 * Imports an optional package.
 * @param load Imports it, so that a compiler sees the name
 * @returns `undefined` when it is not installed
 * @throws The error of an installed package that cannot be loaded
 */
export async function importOptional<Module>(name: string, load: () => Promise<Module>): Promise<Module | undefined> {
  try {
    return await load()
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
    if (isMissing && error.message.includes(`'${name}'`)) return undefined
    throw error
  }
}
