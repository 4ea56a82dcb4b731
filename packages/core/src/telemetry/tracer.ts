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
