import {
  type Context,
  context,
  createTraceState,
  isSpanContextValid,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  type Span as OpenTelemetrySpan,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer as OpenTelemetryTracer,
} from '@opentelemetry/api'
import { readTraceparent } from '../../domain/task-trace.ts'
import type { Span, SpanOptions, TraceHeaders, Tracer } from '../../ports/tracer.ts'

const KINDS: Readonly<Record<SpanOptions['kind'], SpanKind>> = {
  server: SpanKind.SERVER,
  consumer: SpanKind.CONSUMER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
}

const NAME = '@svc-audio/service'

/** Whether an SDK has registered its provider. */
function hasSdk(): boolean {
  const provider = trace.getTracerProvider()
  // Another copy of the API has registered a provider that is not of this class.
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer(NAME) !== undefined
}

/**
 * Spans of the global tracer of OpenTelemetry. Without an SDK, a span records nothing and passes the trace of its parent
 * on unchanged.
 * @param given Makes the spans. @default the tracer `@svc-audio/service` of the global provider
 */
export function createTracer(given?: Pick<OpenTelemetryTracer, 'startSpan'>): Tracer {
  const source = given ?? trace.getTracer(NAME)
  return {
    get records() {
      return given !== undefined || hasSdk()
    },
    current() {
      const span = trace.getActiveSpan()
      return span === undefined ? {} : headersOf(span.spanContext())
    },
    start(name, { kind, parent, attributes = {} }) {
      const current = trace.getActiveSpan()
      // An instrumentation of the HTTP server has made the span of this request.
      if (kind === 'server' && current !== undefined) return spanOver(current, context.active(), false)
      const from = parent === undefined ? context.active() : contextOf(parent)
      const span = source.startSpan(name, { kind: KINDS[kind], attributes }, from)
      return spanOver(span, trace.setSpan(from, span), true)
    },
  }
}

function spanOver(span: OpenTelemetrySpan, around: Context, owned: boolean): Span {
  return {
    trace: headersOf(span.spanContext()),
    recorded: span.isRecording(),
    set: (name, value) => void span.setAttribute(name, value),
    run: (work) => context.with(around, work),
    end(error) {
      if (!owned) return
      if (error !== undefined) {
        span.setAttribute('error.type', error instanceof Error ? error.name : typeof error)
        span.setStatus({ code: SpanStatusCode.ERROR })
      }
      span.end()
    },
  }
}

function contextOf({ traceparent, tracestate }: TraceHeaders): Context {
  const parts = readTraceparent(traceparent)
  if (parts === undefined) return ROOT_CONTEXT
  const { traceId, spanId, flags: traceFlags } = parts
  const traceState = tracestate === undefined ? undefined : createTraceState(tracestate)
  const remote = { traceId, spanId, traceFlags, isRemote: true, ...(traceState === undefined ? {} : { traceState }) }
  return trace.setSpanContext(ROOT_CONTEXT, remote)
}

function headersOf(span: SpanContext): TraceHeaders {
  if (!isSpanContextValid(span)) return {}
  const { traceId, spanId, traceFlags, traceState } = span
  const tracestate = traceState?.serialize() ?? ''
  return {
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    ...(tracestate === '' ? {} : { tracestate }),
  }
}
