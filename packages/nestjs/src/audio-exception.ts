import {
  type ArgumentsHost,
  BadGatewayException,
  BadRequestException,
  GatewayTimeoutException,
  HttpException,
  type HttpExceptionOptions,
  InternalServerErrorException,
  PayloadTooLargeException,
  UnsupportedMediaTypeException,
} from '@nestjs/common'
import { SvcAudioError } from '@svc-audio/core'
import type { GatewayResponse } from '@svc-audio/core/adapter'
import {
  AudioGatewayError,
  ClientDisconnectedError,
  failureAnswer,
  logFailure,
  type LogFailureOptions,
  toGatewayError,
  UploadError,
} from '@svc-audio/upload'
import { FAILURE_CODES } from '@svc-audio/upload/adapter'
import { nativeResponse } from './platform.ts'

const ANSWER = Symbol.for('svc-audio.nest-exception')

/** The JSON body of a failed request. */
export interface AudioErrorBody {
  /** HTTP status. */
  readonly statusCode: number
  /** For programs, in snake case, e.g. `file_too_large`. */
  readonly errorCode: string
  /** For people. It contains neither the key nor the service's message. */
  readonly message: string
}

type ExceptionClass = new (body: AudioErrorBody, options: HttpExceptionOptions) => HttpException

const EXCEPTIONS: Readonly<Record<number, ExceptionClass>> = {
  400: BadRequestException,
  413: PayloadTooLargeException,
  415: UnsupportedMediaTypeException,
  500: InternalServerErrorException,
  502: BadGatewayException,
  504: GatewayTimeoutException,
}

/** Returns the JSON body of a response. */
export function errorBody({ status, code, message }: GatewayResponse): AudioErrorBody {
  return { statusCode: status, errorCode: code, message }
}

/**
 * Returns Nest's exception for a failure: `BadRequestException` for 400, `BadGatewayException` for 502, and a plain
 * `HttpException` for statuses without a class, such as 429. The original error is its `cause`.
 */
export function audioException(error: unknown, response: GatewayResponse): HttpException {
  const body = errorBody(response)
  const Exception = EXCEPTIONS[response.status]
  const options = { cause: error }
  const exception =
    Exception === undefined ? new HttpException(body, response.status, options) : new Exception(body, options)
  return Object.defineProperty(exception, ANSWER, { value: response })
}

/**
 * Logs a failure of an upload or a call, and returns Nest's exception for it. Nest answers it without a filter.
 *
 * @returns any other error as it is
 */
export function toException(error: unknown, log: LogFailureOptions): unknown {
  const response = responseOf(error) === undefined ? failureAnswer(error) : undefined
  if (response === undefined) return error
  const safe = toGatewayError(error)
  logFailure(safe, log)
  return audioException(safe, response)
}

/** Returns the response of an exception that {@link audioException} created, in this or another copy of this package. */
export function responseOf(error: unknown): GatewayResponse | undefined {
  if (!(error instanceof HttpException)) return undefined
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only audioException sets it
  return Reflect.get(error, ANSWER) as GatewayResponse | undefined
}

/** Sets `Retry-After` if the service sent it. Every filter's response then has the header. */
export function setRetryAfter(host: ArgumentsHost, { retryAfterSeconds }: GatewayResponse): void {
  // A live stream has sent its headers: Express would throw.
  if (retryAfterSeconds === undefined || nativeResponse(host).headersSent) return
  const response = host.switchToHttp().getResponse<{ header(name: string, value: string): unknown }>()
  response.header('retry-after', String(retryAfterSeconds))
}

/**
 * The errors that `AudioExceptionFilter` catches: those of the client and of uploads, disconnects, and the exceptions
 * that the interceptors throw for them. It recognizes errors of a second copy of these packages too.
 */
// oxlint-disable-next-line typescript/no-extraneous-class -- Nest's @Catch() takes classes and uses instanceof
export abstract class AudioFailure {
  static [Symbol.hasInstance](value: unknown): boolean {
    const ofUpload = [AudioGatewayError, ClientDisconnectedError, UploadError]
    return (
      SvcAudioError.isInstance(value) ||
      ofUpload.some((one) => one.isInstance(value)) ||
      responseOf(value) !== undefined
    )
  }
}

/** An OpenAPI schema of the body of failures. */
export interface AudioErrorSchema {
  /** The body is an object. */
  type: 'object'
  /** Names of the fields that every body has. */
  required: string[]
  /** A schema for each field. */
  properties: Record<string, AudioErrorFieldSchema>
}

/** An OpenAPI schema of a field of {@link AudioErrorSchema}. */
export interface AudioErrorFieldSchema {
  /** Type of the value. */
  type: 'integer' | 'string'
  /** What the field means. */
  description: string
  /** Every value that the packages send. */
  examples?: string[]
}

/** The OpenAPI schema of `AudioErrorBody`, for routes that you describe yourself. */
export const AUDIO_ERROR_SCHEMA: AudioErrorSchema = {
  type: 'object',
  required: ['statusCode', 'errorCode', 'message'],
  properties: {
    statusCode: { type: 'integer', description: 'HTTP status' },
    errorCode: { type: 'string', description: 'For programs', examples: [...FAILURE_CODES] },
    message: { type: 'string', description: 'For people' },
  },
}
