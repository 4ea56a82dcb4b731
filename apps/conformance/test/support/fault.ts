/** Fields of a JSON object that a fault may change. */
export type Body = Record<string, unknown>

/** A request that the proxy forwards. A fault may change every part of it. */
export interface Forwarded {
  readonly method: string
  /** Path and query. */
  path: string
  /** The `Authorization` header. */
  authorization: string | undefined
  /** The JSON body, or an empty object. */
  readonly json: Body
  /** The fields of a form. */
  readonly form: FormData | undefined
  /** Any other body, and JSON or a form that cannot be read. */
  readonly raw: Buffer
  readonly contentType: string | undefined
}

/** A response that the proxy passes on. */
export interface Passed {
  status: number
  headers: Headers
  body: Buffer
  /** Bytes of the body after which the connection breaks. @default none */
  cutAfter?: number
}

/** A fault of a server. */
export interface Fault {
  /** Changes a request before the service sees it. */
  readonly request?: (request: Forwarded) => void
  /** Changes a successful response. */
  readonly answer?: (response: Passed, request: Forwarded) => void | Promise<void>
  /** Changes a response that refuses. */
  readonly refusal?: (response: Passed, request: Forwarded) => void
  /** Answers instead of the service. `drop` closes the connection. */
  readonly instead?: (request: Forwarded) => Passed | 'drop' | undefined
  /** Answers before the body has arrived, by its announced length. */
  readonly early?: (path: string, length: number) => Passed | undefined
  /** Sends every task to the service again. Otherwise equal tasks are one, which has ended. */
  readonly newTasks?: boolean
  /** Deadline of one response or one task in the run, in milliseconds. @default 60000 */
  readonly timeout?: number
}
