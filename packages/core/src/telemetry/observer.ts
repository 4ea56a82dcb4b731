import { SvcAudioError } from '../errors/svc-audio-error.ts'
import type { CallObserver, Clock, ObservedCall, TransportResponse } from '../transport/transport.ts'
import type { LogFields, Logger } from './logger.ts'
import type { TelemetryOptions } from './telemetry-options.ts'
import type { Span } from './tracer.ts'

/** Numbers of OpenTelemetry: the kind of a client span, and the status of a failed span. */
const CLIENT_KIND = 2
const ERROR_STATUS = 2

/** Reports one call to a logger and a tracer. */
export class Observer implements CallObserver {
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
