/** The database of a folder was written by a version of this service that came later. */
export class NewerDatabaseError extends Error {
  override readonly name = 'NewerDatabaseError' as const

  /** @param path The database. */
  constructor(path: string) {
    super(`${path} was written by a newer version of this service`)
  }
}
