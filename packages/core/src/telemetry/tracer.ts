/**
 * The part of an OpenTelemetry tracer that the client uses: pass `trace.getTracer('my-app')` of `@opentelemetry/api`.
 * The client does not depend on that package.
 */
export interface Tracer {
  startSpan(name: string, options?: SpanStart): Span
}

/** Options of a new span. */
export interface SpanStart {
  /** OpenTelemetry's `SpanKind`. */
  readonly kind?: number
  readonly attributes?: Record<string, string | number>
}

/** The part of an OpenTelemetry span that the client uses. */
export interface Span {
  setAttribute(name: string, value: string | number): unknown
  setStatus(status: { readonly code: number }): unknown
  spanContext(): { readonly traceId: string; readonly spanId: string; readonly traceFlags: number }
  end(): void
}
