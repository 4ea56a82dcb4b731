import {
  ClientDisconnectedError,
  DamagedObjectError,
  DatabaseUnavailableError,
  LeaseLostError,
  MissingObjectError,
  ObjectStoreUnavailableError,
  OutcomeUnknownError,
} from '../domain/errors.ts'
import { invalid, ServiceError } from '../domain/service-error.ts'
import { isOutOfDescriptors, isStorageFull } from '../domain/error-code.ts'
import {
  CodecUnavailableError,
  EngineRefusedError,
  EngineStuckError,
  UndecodableAudioError,
  UnsentLimitError,
  UnspeakableTextError,
} from '@svc-audio/engine-ports'
import { EngineUnavailableError } from '../ports/engines.ts'
import type { TaskError } from '../ports/task-store.ts'

/** The operator or the sweeper frees space first. */
const FULL_RETRY_AFTER_SECONDS = 60

/** A client that does not read is disconnected after a minute. */
const UNSENT_RETRY_AFTER_SECONDS = 10

/** Requests in flight end first. */
const OVERLOADED_RETRY_AFTER_SECONDS = 5

/** Converts an error to the one that the caller sees. An internal error becomes a 500 that hides its cause. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  if (error instanceof UnspeakableTextError) return invalid('unspeakable_text', 'input', error.message)
  if (error instanceof UndecodableAudioError) {
    return new ServiceError(415, 'undecodable_audio', error.message, { param: 'file', cause: error })
  }
  if (error instanceof CodecUnavailableError) {
    return new ServiceError(503, 'codec_unavailable', error.message, { cause: error })
  }
  if (error instanceof EngineUnavailableError) {
    const { message, retryAfterSeconds } = error
    return new ServiceError(503, 'engine_unavailable', message, { cause: error, retryAfterSeconds })
  }
  if (error instanceof EngineRefusedError) return refusedBy(error)
  if (error instanceof EngineStuckError) {
    // Not 503: the work had started, and may hang again.
    return new ServiceError(500, 'engine_timeout', 'The engine did not answer in time', { cause: error })
  }
  if (error instanceof LeaseLostError) {
    // Only streams show it. No other worker takes their tasks.
    return new ServiceError(409, 'task_cancelled', 'The task was cancelled', { cause: error })
  }
  if (error instanceof DatabaseUnavailableError) {
    const message = 'The database of the service does not answer: nothing was stored'
    return new ServiceError(503, 'database_unavailable', message, { cause: error, retryAfterSeconds: 5 })
  }
  if (error instanceof OutcomeUnknownError) {
    // Not 503: clients repeat a call that was refused, and this one may have been accepted.
    const message =
      'The database of the service did not confirm the change: repeat the request under its Idempotency-Key'
    return new ServiceError(500, 'outcome_unknown', message, { cause: error })
  }
  if (error instanceof MissingObjectError) {
    const message = 'The object store of the service does not show the audio yet: retry'
    return new ServiceError(503, 'storage_unavailable', message, { cause: error, retryAfterSeconds: 5 })
  }
  if (error instanceof ObjectStoreUnavailableError || error instanceof DamagedObjectError) {
    const message = 'The object store of the service does not work: nothing was stored'
    return new ServiceError(503, 'storage_unavailable', message, { cause: error, retryAfterSeconds: 5 })
  }
  if (error instanceof UnsentLimitError) {
    return new ServiceError(429, 'too_much_unsent', error.message, { retryAfterSeconds: UNSENT_RETRY_AFTER_SECONDS })
  }
  if (isStorageFull(error)) {
    const message = 'The disk of the service is full: nothing was stored'
    return new ServiceError(503, 'storage_full', message, { cause: error, retryAfterSeconds: FULL_RETRY_AFTER_SECONDS })
  }
  if (isOutOfDescriptors(error)) {
    const message = 'The service has too many open files and connections'
    return new ServiceError(503, 'overloaded', message, {
      cause: error,
      retryAfterSeconds: OVERLOADED_RETRY_AFTER_SECONDS,
    })
  }
  return new ServiceError(500, 'internal_error', 'The service failed; its log has the reason', { cause: error })
}

/** An engine may refuse a language that it was not known to lack. Its own words are for the operator. */
function refusedBy(error: EngineRefusedError): ServiceError {
  const { engine, status, param } = error
  if (param === 'language') {
    const message = `The engine ${engine} does not recognize this language: leave it out, or use another`
    return new ServiceError(400, 'unsupported_language', message, { param, cause: error })
  }
  const why = status === 413 ? ': it is too large for the engine' : ''
  const told = status === undefined ? '' : ` (${status})`
  const message = `The engine ${engine} refused the request${told}${why}; the log of the service has the reason`
  return new ServiceError(500, 'engine_refused', message, { cause: error })
}

/** Converts an error to the error of a failed task, without stack and path. */
export function taskError(error: unknown): TaskError {
  if (error instanceof ClientDisconnectedError) return { code: 'client_disconnected', message: error.message }
  const { code, message } = toServiceError(error)
  return { code, message }
}
