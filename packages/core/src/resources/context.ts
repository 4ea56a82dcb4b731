import type { CheckOptions } from '../checks/option-check.ts'
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
  /** Checks the options of waits. */
  readonly checkOptions: CheckOptions | undefined
  /** Returns a number from 0 to 1, for the delays of polls. */
  readonly random: () => number
  /** The context of the client that this one is derived from. */
  readonly parent: ClientContext | undefined
  /** The scheduler of all waits. Set by the first resource that waits: `waiterOf`. */
  waiter?: TaskWaiter
}
