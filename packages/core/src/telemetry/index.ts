export type { LogFields, Logger } from './logger.ts'
export { telemetry, type TelemetryOptions } from './telemetry.ts'
export type { Span, SpanStart, Tracer } from './tracer.ts'
