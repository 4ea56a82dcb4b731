import type { Task } from './wire/index.ts'

const MARKER = Symbol.for('svc-audio.error')

/** Options of every error of this package. */
export interface SvcAudioErrorOptions {
  /** The original error. Not `ErrorOptions`, which a target before ES2022 does not know. */
  readonly cause?: unknown
  /** The `x-request-id` of the response, if it has one. */
  readonly requestId?: string | undefined
}

/** A class of errors, as `isInstance` sees it. */
interface ErrorClass<Kind extends SvcAudioError> {
  readonly kind: string | undefined
  readonly prototype: Kind
}

/**
 * Base of the errors of this package. Other errors stay what they are: an abort throws the signal's reason, misuse of an
 * object throws `TypeError`, and a failing disk throws the system's error. An error never contains the API key. It
 * contains sent content only if the service repeats it in its message.
 */
export class SvcAudioError extends Error {
  /**
   * The `name` of the class's errors: bundlers may rename the class itself. As a field it would be an effect, and they
   * could not drop unused classes.
   */
  static get kind(): string | undefined {
    return undefined
  }

  /** The class name: programs compare it, or call `isInstance`. */
  override readonly name: string = 'SvcAudioError'
  /** The response's `x-request-id`, if a response arrived. Quote it in a support request. */
  requestId: string | undefined

  constructor(message: string, options?: SvcAudioErrorOptions) {
    super(message, options)
    this.requestId = options?.requestId
    Object.defineProperty(this, MARKER, { value: true })
  }

  /**
   * Whether a value is an error of this class: `SvcAudioError.isInstance` accepts every error of this package,
   * `ApiError.isInstance` only an `ApiError`. Unlike `instanceof`, it recognizes errors of a second copy of this package.
   * Bundlers, nested installs and CommonJS beside ESM create such copies.
   */
  static isInstance<Kind extends SvcAudioError>(this: ErrorClass<Kind>, value: unknown): value is Kind {
    if (typeof value !== 'object' || value === null || !(MARKER in value)) return false
    const { kind, prototype } = this
    // A subclass of the user's own has no kind.
    if (kind === undefined)
      return prototype === SvcAudioError.prototype || Object.prototype.isPrototypeOf.call(prototype, value)
    return Reflect.get(value, 'name') === kind
  }
}

/** An option of the client is missing or wrong. The message names the option and its environment variable. */
export class ConfigurationError extends SvcAudioError {
  static override get kind(): string {
    return 'ConfigurationError'
  }

  /** The class name: programs compare it, or call `isInstance`. */
  override readonly name = 'ConfigurationError' as const
}

/**
 * The arguments break a rule of the interface, or a file cannot be read or written. The client throws it before it sends
 * anything. The exception is an upload that becomes unreadable or changes its size while it is sent.
 */
export class InvalidRequestError extends SvcAudioError {
  static override get kind(): string {
    return 'InvalidRequestError'
  }

  /** The class name: programs compare it, or call `isInstance`. */
  override readonly name = 'InvalidRequestError' as const
  /** The code that the service would answer, e.g. `missing_required_field`. */
  readonly code: string
  /** The wrong field, by its name on the wire. */
  readonly param: string

  constructor(code: string, param: string, message: string, options?: { readonly cause?: unknown }) {
    super(`${param}: ${message}`, options)
    this.code = code
    this.param = param
  }
}

/**
 * A retry is due, but the request's body can be read only once. `cause` is the error of the first attempt. Pass the data
 * as a path, a `Blob`, bytes, or a function that opens a new stream for each attempt.
 */
export class NotReplayableError extends SvcAudioError {
  static override get kind(): string {
    return 'NotReplayableError'
  }

  /** The class name: programs compare it, or call `isInstance`. */
  override readonly name = 'NotReplayableError' as const
}

/** Fields of an {@link ApiError}. */
export interface ApiErrorOptions {
  /** The HTTP status. */
  readonly status: number
  /** The service's own message alone. */
  readonly serviceMessage?: string | undefined
  /** The service's code. */
  readonly code?: string | undefined
  /** The wrong field. */
  readonly param?: string | undefined
  /** The service's class of error. */
  readonly type?: string | undefined
  /** The `x-request-id` of the response, if it has one. */
  readonly requestId?: string | undefined
  /** Seconds to wait before a retry. */
  readonly retryAfter?: number | undefined
}

/** The service answered with an error status. The message contains the service's own message. */
export class ApiError extends SvcAudioError {
  static override get kind(): string {
    return 'ApiError'
  }

  /** The class name: programs compare it, or call `isInstance`. */
  override readonly name = 'ApiError' as const
  /** The HTTP status. */
  readonly status: number
  /** The service's own message alone, if the response has one. */
  readonly serviceMessage: string | undefined
  /** The service's code, e.g. `invalid_range`, if the response has one. */
  readonly code: string | undefined
  /** The wrong field, if the response names one. */
  readonly param: string | undefined
  /** The service's class of error, if the response has one. */
  readonly type: string | undefined
  /** Seconds to wait before a retry, from `Retry-After`. */
  readonly retryAfter: number | undefined
  /**
   * Whether the same request may succeed later: 408, 409, 429 and 5xx. `idempotency_conflict` is the exception: the
   * self-hosted service answers it if the idempotency key belongs to another request.
   */
  readonly retryable: boolean

  constructor(message: string, options: ApiErrorOptions) {
    super(message, options)
    this.status = options.status
    this.serviceMessage = options.serviceMessage
    this.code = options.code
    this.param = options.param
    this.type = options.type
    this.retryAfter = options.retryAfter
    this.retryable =
      options.code !== 'idempotency_conflict' && ([408, 409, 429].includes(options.status) || options.status >= 500)
  }
}

/** The response is not what the interface documents, e.g. JSON that does not parse or a speech format that is not PCM. */
export class ProtocolError extends SvcAudioError {
  static override get kind(): string {
    return 'ProtocolError'
  }

  /** The class name: programs compare it, or call `isInstance`. */
  override readonly name = 'ProtocolError' as const
}

/** No complete response arrived: the connection failed. `cause` is the transport's own error. */
export class ConnectionError extends SvcAudioError {
  static override get kind(): string {
    return 'ConnectionError'
  }

  /** The class name: programs compare it, or call `isInstance`. */
  override readonly name = 'ConnectionError' as const
  /**
   * Whether the service may have received the request. `false` is certain: there was no connection, so a retry cannot
   * repeat any work.
   */
  readonly maybeSent: boolean

  constructor(message: string, options: SvcAudioErrorOptions & { readonly maybeSent?: boolean } = {}) {
    super(message, options)
    this.maybeSent = options.maybeSent ?? true
  }
}

/** The phase of a call that exceeded its deadline. `unread`: nobody began to read the response. */
export type TimeoutPhase = 'connect' | 'headers' | 'idle' | 'events' | 'total' | 'unread'

/** A deadline passed. */
export class TimeoutError extends SvcAudioError {
  static override get kind(): string {
    return 'TimeoutError'
  }

  /** The class name: programs compare it, or call `isInstance`. */
  override readonly name = 'TimeoutError' as const
  /** What took too long. */
  readonly phase: TimeoutPhase

  constructor(phase: TimeoutPhase, message: string, options?: SvcAudioErrorOptions) {
    super(message, options)
    this.phase = phase
  }
}

/** The service reported a failure with an `error` event of a stream. */
export class StreamFailedError extends SvcAudioError {
  static override get kind(): string {
    return 'StreamFailedError'
  }

  /** The class name: programs compare it, or call `isInstance`. */
  override readonly name = 'StreamFailedError' as const
  /** The service's code, if the event has one. */
  readonly code: string | undefined

  constructor(
    message: string,
    options: { readonly code?: string | undefined; readonly requestId?: string | undefined },
  ) {
    super(message, options)
    this.code = options.code
  }
}

/** Fields of a {@link StreamTruncatedError}. */
export interface StreamTruncatedErrorOptions extends SvcAudioErrorOptions {
  /** Received bytes of the body. */
  readonly bytes: number
  /** Announced bytes of the body, if the response announced them. */
  readonly expectedBytes?: number | undefined
  /** Received events, for an event stream. */
  readonly events?: number | undefined
}

/** A body ended early: before its announced length, inside a frame, or without its terminal event. */
export class StreamTruncatedError extends SvcAudioError {
  static override get kind(): string {
    return 'StreamTruncatedError'
  }

  /** The class name: programs compare it, or call `isInstance`. */
  override readonly name = 'StreamTruncatedError' as const
  /** Received bytes of the body. */
  readonly bytes: number
  /** Announced bytes of the body, if the response announced them. */
  readonly expectedBytes: number | undefined
  /** Received events, for an event stream. */
  readonly events: number | undefined

  constructor(message: string, options: StreamTruncatedErrorOptions) {
    super(message, options)
    this.bytes = options.bytes
    this.expectedBytes = options.expectedBytes
    this.events = options.events
  }
}

/** A server-sent event exceeds the size limit of the decoder. */
export class EventTooLargeError extends SvcAudioError {
  static override get kind(): string {
    return 'EventTooLargeError'
  }

  /** The class name: programs compare it, or call `isInstance`. */
  override readonly name = 'EventTooLargeError' as const
  /** The limit, in bytes. */
  readonly maxEventBytes: number

  constructor(maxEventBytes: number) {
    super(`An event is larger than ${maxEventBytes} bytes`)
    this.maxEventBytes = maxEventBytes
  }
}

/** A task ended as `FAILED`. The interface does not document its error, so `error` is the service's value (interface: Errors). */
export class TaskFailedError extends SvcAudioError {
  static override get kind(): string {
    return 'TaskFailedError'
  }

  /** The class name: programs compare it, or call `isInstance`. */
  override readonly name = 'TaskFailedError' as const
  /** The task that failed. */
  readonly taskId: string
  /** The task as the service sent it. */
  readonly task: Task
  /** The task's `error` as the service sent it. */
  readonly error: unknown
  /** The error's code, if it has one. */
  readonly code: string | undefined

  /** @param reason Code and message, as far as the error has them. */
  constructor(task: Task, reason: { readonly code?: string | undefined; readonly message?: string | undefined } = {}) {
    super(`The task ${task.id} failed: ${reason.message ?? reason.code ?? 'no message'}`)
    this.taskId = task.id
    this.task = task
    this.error = task.error
    this.code = reason.code
  }
}

/**
 * A wait for a task exceeded its deadline. The task continues: `tasks.wait(error.taskId)` resumes the wait, also in
 * another process.
 */
export class TaskTimeoutError extends SvcAudioError {
  static override get kind(): string {
    return 'TaskTimeoutError'
  }

  /** The class name: programs compare it, or call `isInstance`. */
  override readonly name = 'TaskTimeoutError' as const
  /** The task. It continues: wait for it again. */
  readonly taskId: string
  /** The last state that the client read, if it read one. */
  readonly task: Task | undefined

  constructor(taskId: string, timeout: number, task?: Task) {
    const state = task?.status ?? 'not read'
    super(`The task ${taskId} was ${state} after ${timeout} ms: resume with tasks.wait("${taskId}")`)
    this.taskId = taskId
    this.task = task
  }
}

/** A result has no audio to download: it names no URL, is not ready, or its URL has expired and cannot be renewed. */
export class ResultUnavailableError extends SvcAudioError {
  static override get kind(): string {
    return 'ResultUnavailableError'
  }

  /** The class name: programs compare it, or call `isInstance`. */
  override readonly name = 'ResultUnavailableError' as const
  /** Id of the task or result, if it has one. */
  readonly taskId: string | undefined

  constructor(message: string, options: { readonly cause?: unknown } & { readonly taskId?: string | undefined } = {}) {
    super(message, options)
    this.taskId = options.taskId
  }
}
