/** The client closed the connection before its response was complete. */
export class ClientDisconnectedError extends Error {
  override readonly name = 'ClientDisconnectedError' as const

  constructor() {
    super('The client disconnected before the response was complete')
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

/** The database of a folder does not belong to its objects. Nothing was changed. The message has the remedy. */
export class LostRowsError extends Error {
  override readonly name = 'LostRowsError' as const

  /**
   * @param fact What is wrong with the subject.
   * @param subject @default the folder
   */
  constructor(folder: string, fact: string, subject: 'folder' | 'database' = 'folder') {
    const named = subject === 'folder' ? folder : `The database in ${folder}`
    super(
      `${named} ${fact}: put back the newest service.sqlite with its service.sqlite-wal, or restore a backup into ` +
        'another folder. To start with what is there, run database accept',
    )
  }
}

/** A folder has secrets that only its lost key opens. Nothing was changed. The message has the remedy. */
export class MissingSecretKeyError extends Error {
  override readonly name = 'MissingSecretKeyError' as const

  constructor(folder: string) {
    super(
      `${folder} has sealed secrets and no file secret.key: put the file back from a backup, or set SVC_AUDIO_SECRET_KEY ` +
        'to its content. If the key is lost, run secrets reset',
    )
  }
}

/** The database of a cluster cannot be reached, or refuses to work now. Nothing was stored. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError' as const

  constructor(options?: ErrorOptions, message = 'The database of DATABASE_URL cannot be reached') {
    super(message, options)
  }
}

/**
 * The database of a cluster did not confirm a change: the response to a commit or to a lone write was lost. The change may
 * be stored, or still become visible. Nothing that it names may be deleted.
 */
export class OutcomeUnknownError extends Error {
  override readonly name = 'OutcomeUnknownError' as const

  constructor(options?: ErrorOptions) {
    super('The database of DATABASE_URL did not confirm a change', options)
  }
}

/** The object store of a cluster cannot be reached, refuses this process, or answers wrongly. Nothing was stored. */
export class ObjectStoreUnavailableError extends Error {
  override readonly name = 'ObjectStoreUnavailableError' as const

  /** @param message What is wrong. @default it cannot be reached */
  constructor(options?: ErrorOptions, message = 'The object store of S3_BUCKET cannot be reached') {
    super(message, options)
  }
}

/** The object store returned other bytes than were stored. Another read may return the right ones. */
export class DamagedObjectError extends Error {
  override readonly name = 'DamagedObjectError' as const

  /** @param object Name of the object. */
  constructor(object: string) {
    super(`The object store returned other bytes of ${object} than were stored`)
  }
}

/** The object store does not have an object that has a row. It may have it soon: not every store shows a new object at once. */
export class MissingObjectError extends Error {
  override readonly name = 'MissingObjectError' as const

  /** @param object Name of the object. */
  constructor(object: string) {
    super(`The object store does not have ${object}, which has a row in the database`)
  }
}

/** Whether an error says that a store of a cluster does not work now. It says nothing about the task or the request. */
export function isStoreError(error: unknown): boolean {
  return (
    error instanceof DatabaseUnavailableError ||
    error instanceof OutcomeUnknownError ||
    error instanceof ObjectStoreUnavailableError
  )
}

/** The tables of a database are not those of this version of the service. The message has the remedy. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError' as const
}

/** Options of a cluster contradict each other. The message names them. */
export class ClusterOptionsError extends RangeError {
  override readonly name = 'ClusterOptionsError' as const
}
