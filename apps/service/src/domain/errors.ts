/** The client closed the connection before it had its answer. */
export class ClientDisconnectedError extends Error {
  override readonly name = 'ClientDisconnectedError' as const

  constructor() {
    super('The client disconnected before the answer was complete')
  }
}

/** Another service serves this folder. */
export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError' as const

  constructor(folder: string) {
    super(`${folder} is in use by another running service`)
  }
}

/** The database of a folder was written by a version of this service that came later. */
export class NewerDatabaseError extends Error {
  override readonly name = 'NewerDatabaseError' as const

  /** @param path The database. */
  constructor(path: string) {
    super(`${path} was written by a newer version of this service`)
  }
}
