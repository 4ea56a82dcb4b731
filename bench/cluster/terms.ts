/** Work of one worker at the same time. */
export const AT_ONCE = 4
/** Time that the engine waits for one task, in milliseconds. */
export const ENGINE_MS = 100
/** The queue of pg-boss. */
export const QUEUE = 'speech'

/** What a worker tells its parent. */
export interface WorkerMessage {
  readonly event: 'ready' | 'start' | 'end'
  /** Milliseconds since 1970. */
  readonly at: number
}
