import type { Observe } from '../transport/observe.ts'
import type { Logger } from './logger.ts'
import { Observer } from './observer.ts'
import type { Tracer } from './tracer.ts'

/** Who hears of calls. */
export interface TelemetryOptions {
  /** Hears what the client does, e.g. `console`. Neither key nor text is ever told. */
  readonly logger?: Logger | undefined
  /** Makes a span of each call: `trace.getTracer('my-app')` of `@opentelemetry/api`. */
  readonly tracer?: Tracer | undefined
  /** Whether spans hold the text that is spoken. @default false */
  readonly traceContent?: boolean | undefined
}

/**
 * Tells a logger and a tracer of the calls of a client: its `observe`. `AudioClient` and `createFetchClient` take the
 * same options themselves.
 *
 * @returns `undefined` where there is neither of them, so that nothing is observed
 * @example
 * const audio = new PureAudioClient({ apiKey, baseUrl, transport, clock, observe: telemetry({ logger: console }) })
 */
export function telemetry(options: TelemetryOptions): Observe | undefined {
  if (options.logger === undefined && options.tracer === undefined) return undefined
  return (call, clock) => new Observer(call, clock, options)
}
