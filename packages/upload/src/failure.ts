import { ConfigurationError } from '@svc-audio/core'
import { gatewayResponse, type GatewayResponse } from '@svc-audio/core/adapter'
import { AudioGatewayError, ClientDisconnectedError, UPLOAD_ERROR_CODES, UploadError } from './errors.ts'

/** Every code of {@link failureAnswer}, except those of an app's own `AudioGatewayError`. */
export const FAILURE_CODES: readonly string[] = [
  ...UPLOAD_ERROR_CODES,
  'client_disconnected',
  // The codes of handlers for speech.
  'audio_not_found',
  'audio_not_ready',
  'invalid_json',
  'missing_text',
  'range_not_satisfiable',
  // The code of Nest's shutdown.
  'shutting_down',
  // The codes of `gatewayResponse`.
  'audio_service_timeout',
  'audio_service_unavailable',
  'content_refused',
  'content_too_large',
  'internal_error',
  'rate_limited',
  'undecodable_audio',
]

/**
 * The response of a server to a failed upload or a failed call to the service, safe for any caller. A refused upload has
 * its own status. `gatewayResponse` of `@svc-audio/core/adapter` maps failed calls. Status 499 means that the client has
 * disconnected: send nothing.
 * @returns `undefined` for any other error
 */
export function failureAnswer(error: unknown): GatewayResponse | undefined {
  if (AudioGatewayError.isInstance(error)) {
    const { status, code, message, retryAfterSeconds } = error
    return { status, code, message, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) }
  }
  if (ClientDisconnectedError.isInstance(error)) {
    const { status, code, message } = error
    return { status, code, message }
  }
  if (!UploadError.isInstance(error)) return gatewayResponse(error)
  const { status, code, message, expose } = error
  return { status, code, message: expose ? message : 'The server made a mistake' }
}

/** Where failures are logged: `console`, Nest's `Logger`, or any object with such a method. */
export interface FailureLogger {
  /** Writes one line, at the level of errors. */
  error(line: string): void
}

/** Options of {@link logFailure}. */
export interface LogFailureOptions {
  /** `false` logs nothing. @default console */
  readonly logger?: FailureLogger | false | undefined
  /** What failed, e.g. `POST /transcribe`. It begins the line. @default nothing */
  readonly where?: string | undefined
}

/** Lowest status that is logged: faults of the server and of the service. */
const LOGGED = 500

/** Longest logged chain of causes. A chain may be circular. */
const MAX_CAUSES = 5

/** Valid request ids for the log: a header of the service may contain anything. */
const REQUEST_ID = /^[\w.:-]{1,128}$/

/** Already logged errors: several handlers see the same error. */
const logged = new WeakSet<object>()

/**
 * Logs a failure with status 500 and above as one line, with every cause: the service's status, code, message and
 * request id. Lower statuses are the caller's mistakes and are not logged, unless their cause is a mistake of the app: a
 * `ConfigurationError`. Each error is logged once, even if several handlers see it.
 * The line may contain the service's text. It never contains the key.
 */
export function logFailure(error: unknown, { logger = console, where }: LogFailureOptions = {}): void {
  const response = failureAnswer(error)
  if (response === undefined || (response.status < LOGGED && !isMistakeOfApp(error))) return
  if (typeof error === 'object' && error !== null) {
    if (logged.has(error)) return
    // `false` also marks the error as logged: the first handler decides.
    logged.add(error)
  }
  if (logger === false) return
  const place = where === undefined ? '' : `${where} `
  // The line already has the status and code of a gateway error.
  const cause = AudioGatewayError.isInstance(error) ? error.cause : error
  logger.error(`${place}${response.status} ${response.code}: ${describeFailure(cause)}`)
}

/** Whether the caller's mistake has its reason in the app, such as a missing body parser. */
function isMistakeOfApp(error: unknown): boolean {
  const isOurs = AudioGatewayError.isInstance(error) || UploadError.isInstance(error)
  return isOurs && error.cause instanceof ConfigurationError
}

/** An error with its causes on one line, the outermost first: `ConnectionError: … <- Error ECONNREFUSED: …`. */
export function describeFailure(error: unknown): string {
  const parts: string[] = []
  for (let one = error; one !== undefined && one !== null && parts.length < MAX_CAUSES;) {
    parts.push(describeOne(one))
    one = typeof one === 'object' && 'cause' in one ? one.cause : undefined
  }
  return parts.join(' <- ')
}

function describeOne(error: unknown): string {
  if (!(error instanceof Error)) return oneLine(String(error))
  const details = ['status', 'code', 'param']
    .map((name): unknown => Reflect.get(error, name))
    .filter((value) => typeof value === 'number' || (typeof value === 'string' && value !== ''))
    // Most messages of the client already contain the status and code.
    .filter((value) => !error.message.includes(String(value)))
  const requestId: unknown = Reflect.get(error, 'requestId')
  const request = typeof requestId === 'string' && REQUEST_ID.test(requestId) ? ` (request ${requestId})` : ''
  return oneLine(`${[error.name, ...details].join(' ')}: ${error.message}${request}`)
}

/** A line break in a message of the service must not start a new log line. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
}
