import { type ErrorCodeEntry, REQUEST_ERROR_CODES } from './request-error-codes.ts'

/**
 * Every error code of the service. {@link ServiceError} accepts no other. `docs/errors.md` is made from it.
 */
export const ERROR_CODES = {
  ...REQUEST_ERROR_CODES,
  missing_api_key: {
    status: 401,
    cause: 'no API key was sent',
    remedy: 'Send `Authorization: Bearer <API_KEY>`, or set `SVC_AUDIO_API_KEY`.',
  },
  invalid_api_key: {
    status: 401,
    cause: 'the key is unknown, was deleted or has expired',
    remedy: 'Check the key. `keys create` of your service makes a new one.',
  },
  invalid_metrics_token: {
    status: 401,
    cause: '`/metrics` requires the metrics token of the service',
    remedy: 'Send the token of `SVC_AUDIO_METRICS_TOKEN`.',
  },
  tenant_suspended: {
    status: 403,
    cause: 'the operator has suspended the account',
    remedy: 'Ask the operator of the service.',
  },
  origin_not_allowed: {
    status: 403,
    cause: 'a page of this origin may not open a WebSocket',
    remedy: 'Add the origin to `--cors-origins` of the service.',
  },
  model_not_found: {
    status: 404,
    param: '`model`',
    cause: 'the model is unknown',
    remedy: 'Choose a model of `GET /v1/models`.',
  },
  voice_not_found: {
    status: 404,
    param: '`voice_id`',
    cause: 'is neither built in nor a voice of this account',
    remedy: 'Choose a voice of `GET /v1/audio/voices`.',
  },
  file_not_found: {
    status: 404,
    param: '`file_id`',
    cause: 'was deleted, has expired, or belongs to another account',
    remedy: 'Upload the file again.',
  },
  task_not_found: {
    status: 404,
    param: '`task_id`',
    cause: 'has expired, or belongs to another account',
    remedy: 'Check the id and the key. Submit the work again if its result has expired.',
  },
  result_not_found: {
    status: 404,
    cause: 'the result has expired or was deleted',
    remedy: 'Read the task again for a new link. Submit the work again if its result has expired.',
  },
  not_found: {
    status: 404,
    cause: 'the path does not exist',
    remedy: 'Check the path. `baseUrl` ends before `/v1`.',
  },
  method_not_allowed: {
    status: 405,
    cause: 'the path has no such method',
    remedy: 'Use a method of the `Allow` header.',
  },
  idempotency_conflict: {
    status: 409,
    cause: 'the key belongs to another request',
    remedy: 'Use a new key for a new request.',
  },
  idempotency_in_progress: {
    status: 409,
    cause: 'the first request with this key is in flight',
    remedy: 'Retry after `Retry-After`.',
  },
  request_timeout: {
    status: 408,
    cause: 'the headers of the request did not arrive in time',
    remedy: 'Send the headers at once. A proxy that holds them back needs a shorter timeout.',
  },
  file_too_large: {
    status: 413,
    param: '`file`',
    cause: 'exceeds the limit of the interface or the service',
    remedy: 'Send a smaller file, e.g. as mp3, or raise the limit of your service.',
  },
  request_too_large: {
    status: 413,
    cause: 'the body exceeds the limit of the endpoint',
    remedy: 'Send a smaller body.',
  },
  undecodable_audio: {
    status: 415,
    param: '`file`',
    cause: 'is not decodable audio, or exceeds the memory or time limit of a file',
    remedy: 'Play the file: it may be cut, or be no audio. Convert it to wav or mp3.',
  },
  unsupported_media_type: {
    status: 415,
    cause: 'the endpoint does not accept this `content-type`',
    remedy: 'Send the `content-type` that the message names.',
  },
  unsupported_content_encoding: {
    status: 415,
    cause: 'the body is compressed',
    remedy: 'Send the body without compression.',
  },
  unsupported_charset: {
    status: 415,
    cause: 'the `content-type` names a character set other than UTF-8',
    remedy: 'Encode the body as UTF-8.',
  },
  range_not_satisfiable: {
    status: 416,
    cause: 'the `Range` is outside the result',
    remedy: 'Ask for a range inside the size of the result.',
  },
  expectation_failed: {
    status: 417,
    cause: 'the `Expect` header can only be `100-continue`',
    remedy: 'Remove the `Expect` header.',
  },
  headers_too_large: {
    status: 431,
    cause: 'the headers have more than 16 KB',
    remedy: 'Send less than 16 KB of headers: often a cookie is too much.',
  },
  rate_limited: {
    status: 429,
    cause: 'the limit of requests per second is used up',
    remedy: 'Retry after `Retry-After`. The client of this repository does so.',
  },
  too_many_requests: {
    status: 429,
    cause: 'this account has reached its limit of requests in flight',
    remedy: 'Wait for requests in flight, or limit them with `semaphore` of the client.',
  },
  too_much_unsent: {
    status: 429,
    cause: 'too much encoded audio of this account waits to be sent',
    remedy: 'Read earlier responses to their end, or abort them.',
  },
  too_many_failed_keys: {
    status: 429,
    cause: 'this address sent too many wrong keys in a minute, and this key is new from there',
    remedy: 'Correct the key, and wait a minute.',
  },
  too_many_connections: {
    status: 429,
    cause: 'all connections of this address have requests in flight, its limit',
    remedy: 'Reuse connections: one client for each process.',
  },
  queue_too_long: {
    status: 429,
    cause: 'a new task would wait longer than `--max-queue-seconds`',
    remedy: 'Retry after `Retry-After`, or add workers.',
  },
  too_many_tasks: {
    status: 429,
    cause: 'this account has reached its limit of open tasks',
    remedy: 'Wait until open tasks end.',
  },
  storage_quota_exceeded: {
    status: 429,
    cause: 'the storage quota is used up',
    remedy: 'Delete files, or wait until results expire.',
  },
  outcome_unknown: {
    status: 500,
    cause: "a cluster's database did not confirm a change",
    remedy: 'Repeat the request under its `Idempotency-Key`.',
  },
  internal_error: {
    status: 500,
    cause: 'the service failed',
    remedy: 'Give the `x-request-id` to the operator: the log of the service has the reason.',
  },
  engine_timeout: {
    status: 500,
    cause: 'an engine did not respond for a minute of its own time and was ended; tasks are retried',
    remedy: 'Tasks are retried by themselves. Send a stream or a synchronous request again.',
  },
  engine_refused: {
    status: 500,
    cause: 'the server of an engine refused the request, and would refuse it again; the message names the engine',
    remedy: 'Give the `x-request-id` to the operator: the log of the service has the words of the server.',
  },
  engine_unavailable: {
    status: 503,
    cause: 'an engine is down or still loads its model; the service retries it',
    remedy: 'Retry after `Retry-After`. Operators read the log of the service.',
  },
  codec_unavailable: {
    status: 503,
    cause: 'neither ffmpeg nor its WebAssembly build is installed',
    remedy: 'Ask for `wav` or `pcm`, or install ffmpeg where the service runs.',
  },
  overloaded: {
    status: 503,
    cause: 'the service has no file descriptor or no connection left',
    remedy: 'Retry after `Retry-After`. Operators raise the limit of open files.',
  },
  database_unavailable: {
    status: 503,
    cause: 'the database of a cluster does not answer',
    remedy: 'Retry after `Retry-After`. Operators check the database.',
  },
  storage_unavailable: {
    status: 503,
    cause: 'the object store of a cluster does not answer, or a folder of stored data is missing',
    remedy: 'Retry after `Retry-After`. Operators check the object store or the data folder.',
  },
  storage_full: {
    status: 503,
    cause: 'the disk of the service is full; nothing partial was stored',
    remedy: 'Operators free space. Retry after `Retry-After`.',
  },
  draining: {
    status: 503,
    cause: 'the operator drains the service: it accepts no new work',
    remedy: 'Retry after `Retry-After`: another process takes the work.',
  },
  starting: {
    status: 503,
    cause: 'the service is starting',
    remedy: 'Retry in a second.',
  },
  shutting_down: {
    status: 503,
    cause: 'the service is stopping',
    remedy: 'Retry after the service has started again.',
  },
  client_disconnected: {
    status: 'task',
    cause: 'the client of a stream disconnected, and the work was stopped',
    remedy: 'Read a stream to its end, or make a task.',
  },
  input_expired: {
    status: 'task',
    cause: 'the task waited longer than its input is stored',
    remedy: 'Submit the work again.',
  },
  input_not_found: {
    status: 'task',
    cause: 'the input of the task was deleted',
    remedy: 'Upload the input again, and submit the work again.',
  },
  interrupted: {
    status: 'task',
    cause:
      'the service crashed three times while it ran this task alone; in a cluster, six starts of the task had no end; a stream cannot continue after a stop',
    remedy: 'Submit the work again. If it fails again, the input may crash the engine: give it to the operator.',
  },
  task_cancelled: {
    status: 'task',
    cause: 'the task was cancelled',
    remedy: 'Submit the work again if you need it.',
  },
} as const satisfies Readonly<Record<string, ErrorCodeEntry>>

/** A code of an error of the service. Codes are stable: programs read them. */
export type ServiceErrorCode = keyof typeof ERROR_CODES
