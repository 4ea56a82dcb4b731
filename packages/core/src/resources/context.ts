import type { Outcome } from '../checks/common.ts'
import type { TaskWaiter } from '../tasks/task-waiter.ts'
import type { Api } from '../transport/api.ts'
import type { UploadContext } from '../transport/uploads.ts'

/** What the resources of one client share. */
export interface ClientContext {
  readonly api: Api
  /** The rules of the interface, where the client has them. */
  readonly check: (endpoint: string, body: object, outcome: Outcome | 'stream') => void
  /** Access to files of this machine, and the size of uploads. */
  readonly uploads: UploadContext
  /** The one scheduler of all waits. */
  readonly waiter: TaskWaiter
}
