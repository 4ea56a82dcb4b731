import type { TaskKind } from './task-store.ts'

/** How long tasks of a tenant wait. */
export interface Backlog {
  /**
   * Refuses a task that would wait too long.
   * @throws ServiceError 429 `queue_too_long`, with the time after which the wait is short enough
   */
  requireShort(tenant: string, kind: TaskKind): Promise<void>
  /**
   * Returns a sensible interval of polls for a waiting task of a tenant, in seconds: from 1 to 60. Never throws.
   */
  pollSeconds(tenant: string, kind: TaskKind): Promise<number>
}
