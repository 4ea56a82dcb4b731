import { SvcAudioError } from './errors.ts'
import type { CallObserver, Clock, Observe, ObservedCall, TransportResponse } from './transport/index.ts'

/**
 * Creates the `observe` option of a client. It reports calls to a logger and a tracer. `AudioClient` and
 * `createFetchClient` take these options directly.
 *
 * @returns `undefined` without a logger and a tracer
 * @example
 * const audio = new PureAudioClient({ apiKey, baseUrl, transport, clock, observe: telemetry({ logger: console }) })
 */
export function telemetry(options: TelemetryOptions): Observe | undefined {
  if (options.logger === undefined && options.tracer === undefined) return undefined
  return (call, clock) => new Observer(call, clock, options)
}

/** Receives log lines: `console`, or any object with such a `debug`. Logs never contain the key or the text. */
export interface Logger {
  /** Writes one line. */
  debug(message: string, fields: LogFields): void
}

/** Fields of one log line. */
export interface LogFields {
  /** E.g. `speech.create`. */
  readonly operation: string
  /** HTTP method. */
  readonly method: string
  /** Without the query. */
  readonly path: string
  /** Retries so far. */
  readonly retries: number
  /** HTTP status, once there is a response. */
  readonly status?: number | undefined
  /** The `x-request-id` of the response. */
  readonly requestId?: string | undefined
  /** Milliseconds since the call began. */
  readonly milliseconds?: number
  /** Milliseconds until the retry. */
  readonly delay?: number
  /** Name of the error, and its code if it has one. Never its message, which may repeat the request. */
  readonly error?: string
}

/**
 * The part of an OpenTelemetry tracer that the client uses: pass `trace.getTracer('my-app')` of `@opentelemetry/api`.
 * The client does not depend on that package.
 */
export interface Tracer {
  /** Starts a span. */
  startSpan(name: string, options?: SpanStart): Span
}

/** Options of a new span. */
export interface SpanStart {
  /** OpenTelemetry's `SpanKind`. */
  readonly kind?: number
  /** Attributes of the span at its start. */
  readonly attributes?: Record<string, string | number>
}

/** The part of an OpenTelemetry span that the client uses. */
export interface Span {
  /** Sets an attribute. */
  setAttribute(name: string, value: string | number): unknown
  /** Sets the status. */
  setStatus(status: { readonly code: number }): unknown
  /** Returns the ids for `traceparent`. */
  spanContext(): {
    /** Id of the trace. */
    readonly traceId: string
    /** Id of the span. */
    readonly spanId: string
    /** Flags of the trace. */
    readonly traceFlags: number
  }
  /** Ends the span. */
  end(): void
}

/** Options of `telemetry`. */
export interface TelemetryOptions {
  /** Receives a log line for each step of a call, e.g. `console`. Logs never contain the key or the text. */
  readonly logger?: Logger | undefined
  /** Makes a span of each call: `trace.getTracer('my-app')` of `@opentelemetry/api`. */
  readonly tracer?: Tracer | undefined
  /** Adds the text to the spans. @default false */
  readonly traceContent?: boolean | undefined
}

/** Numbers of OpenTelemetry: the kind of a client span, and the status of a failed span. */
const CLIENT_KIND = 2
const ERROR_STATUS = 2

/** Reports one call to a logger and a tracer. */
class Observer implements CallObserver {
  readonly #logger: Logger | undefined
  readonly #fields: Pick<LogFields, 'operation' | 'method' | 'path'>
  readonly #span: Span | undefined
  readonly #clock: Clock
  readonly #start: number
  #retries = 0

  constructor(call: ObservedCall, clock: Clock, { logger, tracer, traceContent }: TelemetryOptions) {
    const { operation, method, path, baseUrl } = call
    const { model, content } = told(call.fields ?? {})
    this.#logger = logger
    this.#fields = { operation, method, path }
    this.#clock = clock
    this.#start = clock.now()
    this.#span = tracer?.startSpan(`svc_audio ${operation}`, {
      kind: CLIENT_KIND,
      attributes: {
        'http.request.method': method,
        'url.full': path.startsWith('/') ? baseUrl + path : path,
        ...(typeof model === 'string' ? { 'gen_ai.request.model': model } : {}),
        ...(content === undefined || traceContent !== true ? {} : { 'svc_audio.input': content }),
      },
    })
  }

  get traceparent(): string | undefined {
    if (this.#span === undefined) return undefined
    const { traceId, spanId, traceFlags } = this.#span.spanContext()
    return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
  }

  answered({ status, headers }: TransportResponse): void {
    const requestId = headers['x-request-id']
    this.#span?.setAttribute('http.response.status_code', status)
    if (requestId !== undefined) this.#span?.setAttribute('svc_audio.request_id', requestId)
    this.#log('answered', { status, requestId })
  }

  queued(): void {
    this.#log('waits for the semaphore: too many billable calls are in flight', {})
  }

  dropped(): void {
    this.#log('was dropped before its end: read the response, or call cancel()', {})
  }

  retrying(error: unknown, delay: number): void {
    this.#log('will be retried', { error: describeError(error), delay })
    this.#retries += 1
    this.#span?.setAttribute('http.request.resend_count', this.#retries)
  }

  ended(error?: unknown): void {
    if (error !== undefined) {
      this.#span?.setAttribute('error.type', describeError(error))
      this.#span?.setStatus({ code: ERROR_STATUS })
    }
    this.#span?.end()
    this.#log('ended', error === undefined ? {} : { error: describeError(error) })
  }

  #log(what: string, fields: Partial<LogFields>): void {
    const milliseconds = Math.round(this.#clock.now() - this.#start)
    const { operation } = this.#fields
    this.#logger?.debug(`${operation} ${what}`, { ...this.#fields, retries: this.#retries, milliseconds, ...fields })
  }
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return 'aborted'
  const code = SvcAudioError.isInstance(error) && 'code' in error && typeof error.code === 'string' ? error.code : ''
  return code === '' ? error.name : `${error.name} ${code}`
}

/** The model and the text of a request. The text of a dialogue is all its lines. */
function told(fields: { model?: unknown; input?: unknown; segments?: unknown }): { model: unknown; content?: string } {
  const { model, input, segments } = fields
  if (typeof input === 'string') return { model, content: input }
  if (!Array.isArray(segments)) return { model }
  const lines = segments.map((segment: { readonly text?: unknown }) => String(segment.text))
  return { model, content: lines.join('\n') }
}
