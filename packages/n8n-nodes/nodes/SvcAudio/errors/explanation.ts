/** An error in words for people: what happened, and what to do about it. */
export interface Explanation {
  /** One line without method, URL and names of the wire. */
  readonly headline: string
  /** What to do, then what identifies the failure. */
  readonly description?: string | undefined
  /** The code of the service, or of the client's own check. */
  readonly code?: string | undefined
  /** The HTTP status of the response. */
  readonly status?: number | undefined
  /** Display name of the field. */
  readonly field?: string | undefined
}
