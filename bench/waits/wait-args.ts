/** What a client is told to wait for, and where. */
export interface WaitArgs {
  /** Address of the service without `/v1`. */
  readonly origin: string
  /** Tasks that are waited for at once. */
  readonly tasks: number
  /** Reads after which each task is over. */
  readonly reads: number
}

/** The tasks' ids, which tell the service how often each is read. */
export function taskIds({ tasks, reads }: WaitArgs): string[] {
  return Array.from({ length: tasks }, (_, number) => `task-${number}-${reads}`)
}
