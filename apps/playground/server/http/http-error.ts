/** An error answer with a message for the user of the page. */
export class HttpError extends Error {
  override readonly name = 'HttpError' as const
  readonly status: number
  /** For programs, in snake case. */
  readonly code: string

  constructor(status: number, code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.status = status
    this.code = code
  }
}
