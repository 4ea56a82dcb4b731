/** What a task makes, as `object` on the wire. */
export type TaskKind = 'audio.speech' | 'audio.transcription'

/** A task as it is kept. */
export interface StoredTask {
  readonly id: string
  readonly tenant: string
  readonly kind: TaskKind
  readonly status: 'PENDING' | 'PROCESSING' | 'SUCCESS' | 'FAILED'
  readonly model: string
  /** Unix seconds. */
  readonly createdAt: number
  /** Unix seconds. */
  readonly updatedAt: number
  /** The result's fields, once it succeeded. */
  readonly result?: Readonly<Record<string, unknown>>
  /** Once it failed. */
  readonly error?: TaskError
}

/** Why a task failed: no stack and no path. */
export interface TaskError {
  readonly code: string
  readonly message: string
}

/** Where tasks are kept. What was acknowledged survives a crash. A terminal task never changes again. */
export interface TaskStore {
  create(task: Pick<StoredTask, 'id' | 'tenant' | 'kind' | 'status' | 'model'>): Promise<StoredTask>
  /** `undefined` for an unknown id and for another tenant's. */
  find(tenant: string, id: string): Promise<StoredTask | undefined>
  succeed(id: string, result: Readonly<Record<string, unknown>>): Promise<void>
  fail(id: string, error: TaskError): Promise<void>
  /** Fails every task that a crash or a stop left unfinished. */
  failUnfinished(error: TaskError): Promise<number>
}
