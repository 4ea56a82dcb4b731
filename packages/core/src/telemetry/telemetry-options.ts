import type { Logger } from './logger.ts'
import type { Tracer } from './tracer.ts'

/** Options of `telemetry`. */
export interface TelemetryOptions {
  /** Receives a log line for each step of a call, e.g. `console`. Logs never contain the key or the text. */
  readonly logger?: Logger | undefined
  /** Makes a span of each call: `trace.getTracer('my-app')` of `@opentelemetry/api`. */
  readonly tracer?: Tracer | undefined
  /** Adds the text to the spans. @default false */
  readonly traceContent?: boolean | undefined
}
