export { Api, type ApiRequest, type EventDeadline } from './api.ts'
export { errorFields, readApiError } from './api-error-body.ts'
export { type ApiResponse, isFramed } from './api-response.ts'
export { type Answer, Call, type CallOptions, type ResponseInfo, type WithResponse } from './call.ts'
export { codeOf, drain, isUnsent, namedFailure, RELEASE_BYTES, RELEASE_TIME } from './connection.ts'
export { IdleTimer, webClock } from './idle-timer.ts'
export type { ApiKey, Redact } from './key-source.ts'
export { cancellable, unlessAborted } from './request-scope.ts'
export { mayRepeat, type RetryContext, retryDelay } from './retry.ts'
export { createSemaphore, type Semaphore } from './semaphore.ts'
export type {
  CallObserver,
  Clock,
  Observe,
  ObservedCall,
  RequestBody,
  ResponseBody,
  Transport,
  TransportRequest,
  TransportResponse,
  UploadProgress,
} from './transport.ts'
export { type UnreadOptions, type WatchUnread, watchUnread } from './watch-unread.ts'
export { checkNode, isNode } from './runtime.ts'
