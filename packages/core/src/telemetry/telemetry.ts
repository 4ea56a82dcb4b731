import type { Observe } from '../transport/observe.ts'
import type { Logger } from './logger.ts'
import { Observer } from './observer.ts'
import type { Tracer } from './tracer.ts'

/** Options of {@link telemetry}. */
export interface TelemetryOptions {
  /** Receives a log line for each step of a call, e.g. `console`. Logs never contain the key or the text. */
  readonly logger?: Logger | undefined
  /** Makes a span of each call: `trace.getTracer('my-app')` of `@opentelemetry/api`. */
  readonly tracer?: Tracer | undefined
  /** Adds the text to the spans. @default false */
  readonly traceContent?: boolean | undefined
}

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
