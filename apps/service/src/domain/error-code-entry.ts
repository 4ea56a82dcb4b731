/** What an error code means, for its page and for the programs that show it. */
export interface ErrorCodeEntry {
  /** The status of the response, or `task` for a code that only tasks have. */
  readonly status: number | 'task'
  /** What `param` names, as Markdown. Absent for an error without a field. */
  readonly param?: string
  /** Why it happens, as Markdown. */
  readonly cause: string
  /** What to do, as Markdown. */
  readonly remedy: string
}
