/** Run and user of a call of the store. */
export interface StoreAccess {
  /** Stops the work of the store. @default nothing stops it */
  readonly signal?: AbortSignal | undefined
  /** The user that `forRun` named. A store must not return anything of another user. */
  readonly user?: string | undefined
  /** The run's context, as the framework passed it. */
  readonly context?: unknown
}
