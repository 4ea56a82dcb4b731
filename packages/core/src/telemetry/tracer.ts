/**
 * The part of an OpenTelemetry tracer that the client uses: pass `trace.getTracer('my-app')` of `@opentelemetry/api`,
 * which the client itself does not need.
 */
export interface Tracer {
  startSpan(name: string, options?: SpanStart): Span
}

/** How a span starts. */
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
