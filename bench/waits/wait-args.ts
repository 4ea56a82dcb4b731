/** Arguments of a waiting client. */
export interface WaitArgs {
  /** Address of the service without `/v1`. */
  readonly origin: string
  /** Concurrent tasks. */
  readonly tasks: number
  /** Polls until each task ends. */
  readonly reads: number
}

/** The tasks' ids, which tell the service the number of polls. */
export function taskIds({ tasks, reads }: WaitArgs): string[] {
  return Array.from({ length: tasks }, (_, number) => `task-${number}-${reads}`)
}
