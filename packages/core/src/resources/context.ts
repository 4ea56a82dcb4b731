import type { Outcome } from '../checks/common.ts'
import type { TaskWaiter } from '../tasks/task-waiter.ts'
import type { Api } from '../transport/api.ts'
import type { UploadContext } from '../transport/upload-source.ts'

/** Shared by the resources of one client. */
export interface ClientContext {
  readonly api: Api
  /** Checks the rules of the interface, if the client has them. */
  readonly check: (endpoint: string, body: object, outcome: Outcome | 'stream') => void
  /** Access to files on this machine, and the largest upload. */
  readonly uploads: UploadContext
  /** The scheduler of all waits. */
  readonly waiter: TaskWaiter
}
