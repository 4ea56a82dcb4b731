import { ConfigurationError } from '@svc-audio/core'
import { discardUnread, failureAnswer, type FailureLogger, logFailure } from '@svc-audio/upload'
import {
  checkOptions,
  cutResponse,
  FAILURE_CODES,
  type OptionRules,
  optionRules,
  type Uncalled,
} from '@svc-audio/upload/adapter'
import type { ErrorRequestHandler, Request } from 'express'

/** The response of a failure, safe for any caller. */
export interface AudioErrorResponse {
  /** HTTP status. */
  readonly status: number
  /** For programs, in snake case, e.g. `file_too_large`. */
  readonly code: string
  /** For people. */
  readonly message: string
  /** Seconds of the `Retry-After` header, if there is one. */
  readonly retryAfterSeconds?: number
}

/** Arguments of {@link AudioErrorsOptions.onError} besides the error. */
export interface AudioErrorContext {
  /** The request that failed. */
  readonly request: Request
  /** The status of the response; 499 without a response when the client has disconnected. */
  readonly status: number
  /** Code of the failure, as in the body of the response. */
  readonly code: string
}

/** Options of {@link audioErrors}. */
export interface AudioErrorsOptions {
  /** The body of a response. @default `{ "error": { "code", "message" } }` */
  readonly format?: (response: AudioErrorResponse, request: Request) => object
  /** Media type of the body, e.g. `application/problem+json`. @default 'application/json; charset=utf-8' */
  readonly contentType?: string
  /**
   * Other messages, by code: translations, or a function of code and request. A warning of the process names a code
   * that no failure of this package has. @default the English ones
   */
  readonly messages?: Readonly<Record<string, string>> | ((code: string, request: Request) => string | undefined)
  /**
   * Called with every error that is answered here. The error's `cause` is the original one and contains the service's
   * own words, which are not for callers. It never contains the key. @default nothing
   */
  readonly onError?: (error: unknown, context: AudioErrorContext) => void
  /** Where failures with status 500 and above are logged, with their cause. `false` logs nothing. @default console */
  readonly logger?: FailureLogger | false
}

const RULES: OptionRules = {
  format: optionRules.optional(optionRules.callback),
  contentType: optionRules.optional(optionRules.text),
  messages: optionRules.optional((value) =>
    typeof value === 'function' || (typeof value === 'object' && value !== null)
      ? undefined
      : 'must be an object of messages by code, or a function',
  ),
  onError: optionRules.optional(optionRules.callback),
  logger: optionRules.optional(optionRules.logger),
}

/** An app may throw an `AudioGatewayError` with a code of its own. An unknown code is therefore no error. */
function warnOfUnknownCodes(messages: AudioErrorsOptions['messages']): void {
  if (typeof messages !== 'object') return
  for (const code of Object.keys(messages).filter((one) => !FAILURE_CODES.includes(one))) {
    process.emitWarning(
      `audioErrors(): \`messages\` has a text for \`${code}\`. No failure of this package has this code: use one of ${FAILURE_CODES.join(', ')}`,
      { code: 'SVC_AUDIO_UNKNOWN_CODE' },
    )
  }
}

/**
 * Error middleware for this package, and for calls of the client in handlers of your own. It answers in its own words:
 * a refused upload with its status, a failed call as `gatewayResponse` of `@svc-audio/core/adapter` maps it. A
 * disconnected client gets nothing. If audio is in flight already, it closes the connection. Other errors go to the
 * next error middleware.
 *
 * @throws ConfigurationError here, naming a wrong option
 */
export function audioErrors(
  options: AudioErrorsOptions = {},
  ..._uncalled: Uncalled<'audioErrors'>[]
): ErrorRequestHandler {
  checkOptions('audioErrors', options, RULES)
  warnOfUnknownCodes(options.messages)
  const { onError, logger, format = defaultBody, contentType = 'application/json; charset=utf-8' } = options
  return (error: unknown, request, response, next) => {
    // The error may be of a guard, which has not read the body.
    discardUnread(response)
    const failure = failureAnswer(error)
    if (failure === undefined) {
      next(error)
      return
    }
    const { status, code, retryAfterSeconds } = failure
    const log = { logger, where: `${request.method} ${request.originalUrl.replace(/\?.*/s, '')}` }
    logFailure(error, log)
    onError?.(error, { request, status, code })
    if (response.writableEnded) return
    if (status === 499 || response.headersSent) {
      cutResponse(response)
      return
    }
    if (retryAfterSeconds !== undefined) response.setHeader('retry-after', retryAfterSeconds)
    const message = translate(options.messages, code, request) ?? failure.message
    response.status(status).setHeader('content-type', contentType)
    const body = formatted(format, { ...failure, message }, request)
    if (body instanceof ConfigurationError) logFailure(body, log)
    response.send(JSON.stringify(body instanceof ConfigurationError ? defaultBody({ ...failure, message }) : body))
  }
}

/** The body in the app's form, or its fault. A fault in the response of an error must not replace that answer. */
function formatted(
  format: (response: AudioErrorResponse, request: Request) => unknown,
  response: AudioErrorResponse,
  request: Request,
): object {
  try {
    const body = format(response, request)
    if (typeof body === 'object' && body !== null) return body
    return new ConfigurationError(`audioErrors(): \`format\` must return an object, got ${typeof body}`)
  } catch (cause) {
    return new ConfigurationError('audioErrors(): `format` has thrown', { cause })
  }
}

function defaultBody({ code, message }: AudioErrorResponse): object {
  return { error: { code, message } }
}

function translate(messages: AudioErrorsOptions['messages'], code: string, request: Request): string | undefined {
  if (typeof messages === 'function') return messages(code, request)
  return messages !== undefined && Object.hasOwn(messages, code) ? messages[code] : undefined
}
