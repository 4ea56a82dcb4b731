/** The client closed the connection before its answer was complete. */
export class ClientDisconnectedError extends Error {
  override readonly name = 'ClientDisconnectedError' as const

  constructor() {
    super('The client disconnected before the answer was complete')
  }
}

/** The task of this work was cancelled, or another worker has it. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError' as const
  constructor() {
    super('The lease on the task was lost')
  }
}

/** Another service uses this folder. */
export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError' as const

  constructor(folder: string) {
    super(`${folder} is in use by another running service`)
  }
}

/** A newer version of this service wrote the database of the folder. */
export class NewerDatabaseError extends Error {
  override readonly name = 'NewerDatabaseError' as const

  /** @param path Path of the database. */
  constructor(path: string) {
    super(`${path} was written by a newer version of this service`)
  }
}

/** The database of a cluster cannot be reached. Nothing was stored. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError' as const

  constructor(options?: ErrorOptions, message = 'The database of DATABASE_URL cannot be reached') {
    super(message, options)
  }
}

/** The object store of a cluster cannot be reached. Nothing was stored. */
export class ObjectStoreUnavailableError extends Error {
  override readonly name = 'ObjectStoreUnavailableError' as const

  constructor(options?: ErrorOptions) {
    super('The object store of S3_BUCKET cannot be reached', options)
  }
}

/** The tables of the database of a cluster do not fit this version of the program. The message has the remedy. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError' as const
}

/** Options of a cluster contradict each other. The message names them. */
export class ClusterOptionsError extends RangeError {
  override readonly name = 'ClusterOptionsError' as const
}
