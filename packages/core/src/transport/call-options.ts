/** What a caller sets for one call. */
export interface CallOptions {
  /** Stops the call at any time, a body that is being read included. The call rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** Deadline for the whole call, reading the body included, in milliseconds. @default the client's `timeout` */
  readonly timeout?: number
  /** Further headers. They cannot replace `authorization`. */
  readonly headers?: Readonly<Record<string, string>>
}
