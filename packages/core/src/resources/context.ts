import type { TaskWaiter } from '../tasks/task-waiter.ts'
import type { Api } from '../transport/api.ts'
import type { UploadContext } from '../transport/uploads.ts'

/** What the resources of one client share. */
export interface ClientContext {
  readonly api: Api
  /** Access to files of this machine, and the size of uploads. */
  readonly uploads: UploadContext
  /** The one scheduler of all waits. */
  readonly waiter: TaskWaiter
  /** Whether the service, not the client, refuses private addresses as sources. */
  readonly allowPrivateUrls: boolean
}
