export { ConfigurationError, InvalidRequestError, NotReplayableError } from './request-errors.ts'
export {
  ApiError,
  type ApiErrorOptions,
  ConnectionError,
  ProtocolError,
  TimeoutError,
  type TimeoutPhase,
} from './service-errors.ts'
export {
  EventTooLargeError,
  StreamFailedError,
  StreamTruncatedError,
  type StreamTruncatedErrorOptions,
} from './stream-errors.ts'
export { SvcAudioError, type SvcAudioErrorOptions } from './svc-audio-error.ts'
export { ResultUnavailableError, TaskFailedError, TaskTimeoutError } from './task-errors.ts'
