/** The trace that a span continues, or that others continue from it (W3C Trace Context). */
export interface TraceHeaders {
  readonly traceparent?: string
  readonly tracestate?: string
}

/** Options of {@link Tracer.start}. */
export interface SpanOptions {
  /** `server`: a request of a client. `consumer`: a queued task. `client`: a call of another service. */
  readonly kind: 'server' | 'consumer' | 'client' | 'internal'
  /** The trace to continue. @default the current span */
  readonly parent?: TraceHeaders | undefined
  /** Never content: neither texts nor names of files, nor addresses of clients. */
  readonly attributes?: Readonly<Record<string, string | number>>
}

/** A part of the work of a trace. */
export interface Span {
  /** Continues the trace elsewhere. Without a recording tracer, it is the trace of the parent. */
  readonly trace: TraceHeaders
  /** Whether somebody records the span. */
  readonly recorded: boolean
  set(name: string, value: string | number): void
  /** Runs work whose spans are parts of this one. */
  run<T>(work: () => T): T
  /** Ends the span. @param error Why the work failed. Only its name is recorded: its message may have content. */
  end(error?: unknown): void
}

/** Records spans, if the operator has set that up. */
export interface Tracer {
  /** Whether anybody can record spans. Without, a span only passes the trace of its parent on. */
  readonly records: boolean
  /** The trace of the current span. Nothing where nobody records. */
  current(): TraceHeaders
  start(name: string, options: SpanOptions): Span
}

/** Does work in a span. @throws What the work throws */
export async function inSpan<T>(
  tracer: Tracer,
  name: string,
  options: SpanOptions,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  const span = tracer.start(name, options)
  try {
    const result = await span.run(() => work(span))
    span.end()
    return result
  } catch (error) {
    span.end(error)
    throw error
  }
}
