/** Every endpoint of the interface, and the downloads behind `url` results. */
export const ROUTES = [
  'POST /v1/audio/speech',
  'POST /v1/audio/speech/speakers',
  'POST /v1/audio/transcriptions',
  'POST /v1/audio/voices',
  'GET /v1/audio/voices',
  'POST /v1/audio/voice/generations',
  'GET /v1/audio/tasks/{task_id}',
  'POST /v1/files',
  'GET /v1/files',
  'GET /v1/files/{file_id}',
  'DELETE /v1/files/{file_id}',
  'GET /v1/models',
  'GET /v1/audio/results/{result_id}',
] as const

/** An endpoint, spelled as the interface spells it. */
export type Route = (typeof ROUTES)[number]

/** An endpoint, or `*` for every request, unknown paths too. */
export type Target = Route | '*'

/** What a method and a path lead to. */
export interface RouteMatch {
  /** Absent for an unknown path or method. */
  readonly route?: Route
  /** The id in the path; empty without one. */
  readonly id: string
  /** Methods of the path; empty for an unknown path. */
  readonly methods: readonly string[]
}

const PATTERNS = ROUTES.map((route) => {
  const [method = '', path = ''] = route.split(' ')
  return { route, method, path: new RegExp(`^${path.replace(/\{\w+\}/, '([^/]+)')}$`) }
})

/** @param path Without its query. */
export function matchRoute(method: string, path: string): RouteMatch {
  const fitting = PATTERNS.filter((pattern) => pattern.path.test(path))
  const found = fitting.find((pattern) => pattern.method === method)
  const methods = fitting.map((pattern) => pattern.method)
  if (found === undefined) return { id: '', methods }
  return { route: found.route, id: found.path.exec(path)?.[1] ?? '', methods }
}

/**
 * How a request ended: its response was sent completely, the client closed the connection before that, or the upstream
 * did (a fault or `close()`).
 */
export type Ending = 'finished' | 'closedByClient' | 'closedByUpstream'

/** A file that arrived in a multipart body. */
export interface RecordedFile {
  /** Name of the form field. */
  readonly field: string
  /** The part's file name. */
  readonly filename: string
  /** The part's `Content-Type`. */
  readonly contentType: string
  /** Length of the file. */
  readonly bytes: number
  /** SHA-256 of all bytes, in hexadecimal. */
  readonly sha256: string
  /** The bytes; absent above `keepBytes`. */
  readonly content?: Uint8Array
}

/** A multipart body. */
export interface RecordedForm {
  /** Every value of each text field, in order. */
  readonly fields: Readonly<Record<string, readonly string[]>>
  /** Every file, in order. */
  readonly files: readonly RecordedFile[]
}

/** A request at the upstream. It fills while the body arrives. */
export interface RecordedRequest {
  /** Method, in upper case. */
  readonly method: string
  /** Without the query. */
  readonly path: string
  /** The query of the address. */
  readonly query: URLSearchParams
  /** The endpoint; absent for a path or method outside the interface. */
  readonly route?: Route
  /** Names in lower case. `authorization` reads `Bearer [redacted]`: a failed assertion must not print a key. */
  readonly headers: Readonly<Record<string, string>>
  /** Whether the request carried the upstream's key. */
  readonly authorized: boolean
  /** Bytes of the body so far. */
  readonly bytes: number
  /** Whether the whole body has arrived. */
  readonly complete: boolean
  /** The body of a JSON request, once complete; absent above `keepBytes`. */
  readonly json?: unknown
  /** A multipart body, once complete. */
  readonly form?: RecordedForm
  /** Any other body, once complete; absent above `keepBytes`. */
  readonly content?: Uint8Array
  /** Why the body could not be parsed. */
  readonly malformed?: string
  /** How the request ended; absent while it is open. */
  readonly ended?: Ending
  /**
   * Resolves when this many bytes of the body have arrived, by default all.
   * @throws Error if the body breaks off before
   */
  received(bytes?: number, options?: WaitOptions): Promise<RecordedRequest>
  /** Closes the connection at once, at any point of the request or answer. */
  cut(): void
  /** Resolves with the ending of the request. */
  closed(options?: WaitOptions): Promise<Ending>
}

/** Options of every wait. */
export interface WaitOptions {
  /** Ends the wait with the signal's reason. A wait has no deadline; the test's timeout is the limit. */
  readonly signal?: AbortSignal
}
