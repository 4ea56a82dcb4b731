import type { Observe } from '../transport/transport.ts'
import { Observer } from './observer.ts'
import type { TelemetryOptions } from './telemetry-options.ts'

export type { TelemetryOptions } from './telemetry-options.ts'

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
