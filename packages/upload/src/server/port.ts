import type { UploadRequest } from '../connection.ts'
import { type FailureLogger, logFailure } from '../failure.ts'

/**
 * Where the handlers of a framework find the parts of a request. `Given` is the argument of the framework's route function.
 * Options that are functions get `Context`, which is the same in most frameworks.
 */
export interface ServerPort<Given, Context = Given> {
  /** Argument of options that are functions. */
  readonly context: (given: Given) => Context
  /** The body as an upload. @throws UploadError `body_already_read` */
  readonly upload: (given: Given) => UploadRequest
  /** Aborts with `ClientDisconnectedError` when the client disconnects. */
  readonly signal: (given: Given) => AbortSignal
  /** Method of the request, in capitals. */
  readonly method: (given: Given) => string
  /** Path of the request, without its query, which may contain private data. */
  readonly path: (given: Given) => string
  /** A header of the request, by its lower-case name. */
  readonly header: (given: Given, name: string) => string | undefined
  /** Reads the text to speak. @throws AudioGatewayError `missing_text` */
  readonly text: (given: Given) => string | Promise<string>
  /** Task id of a route, if the framework has parameters of routes. */
  readonly taskId: (given: Given) => string
  /** Puts the values of a form where the routes of the framework read a body. @default nowhere */
  readonly setBody?: (given: Given, values: unknown) => void
  /** Gets a failure that the body of a started response has told the client. @default logs it */
  readonly onLateFailure?: (given: Given, error: unknown, log: FailureLog) => void
  /** Where failures are logged without the option `logger`. @default console */
  readonly logger?: (given: Given) => FailureLogger
}

/** Options of every handler that answers a request. */
export interface HandlerLogOptions {
  /** Where failures with status 500 and above are logged, with their cause. `false` logs nothing. @default console */
  readonly logger?: FailureLogger | false
}

/** Logger and place of failures. */
export interface FailureLog {
  /** Where failures are logged. `false` logs nothing, `undefined` to the console. */
  readonly logger: FailureLogger | false | undefined
  /** Method and path, e.g. `POST /transcribe`. */
  readonly where: string
}

/** One request of a handler. */
export interface ServerCall<Given, Context> {
  /** Argument of the route function. */
  readonly given: Given
  /** Argument of options that are functions. */
  readonly context: Context
  /** Aborts with `ClientDisconnectedError` when the client disconnects. */
  readonly signal: AbortSignal
  /** The body as an upload. The first use takes the body. @throws UploadError `body_already_read` */
  readonly upload: () => UploadRequest
  /** The upload, if it was taken. */
  readonly taken: () => UploadRequest | undefined
  /** Puts the values of a form where the routes of the framework read a body. */
  readonly setBody: (values: unknown) => void
  /** Tells the framework about a failure that the body of a started response has told the client. */
  readonly failLate: (error: unknown) => void
  /** Logger and place of failures. */
  readonly log: FailureLog
}

/** Answers a request. It throws every failure. */
export type Responder<Given, Context, Answer = Response> = (
  call: ServerCall<Given, Context>,
) => Promise<Response | Answer>

/** Opens the parts of a request that every handler needs. */
export function openCall<Given, Context>(
  port: ServerPort<Given, Context>,
  given: Given,
  logger: FailureLogger | false | undefined,
): ServerCall<Given, Context> {
  const log = { logger: logger ?? port.logger?.(given), where: `${port.method(given)} ${port.path(given)}` }
  const { onLateFailure = (_given, error) => logFailure(error, log) } = port
  let taken: UploadRequest | undefined
  return {
    given,
    context: port.context(given),
    signal: port.signal(given),
    upload: () => (taken ??= port.upload(given)),
    taken: () => taken,
    setBody: (values) => port.setBody?.(given, values),
    failLate: (error) => onLateFailure(given, error, log),
    log,
  }
}
