import type { Services } from '../services.ts'
import type { Metrics } from './prometheus.ts'

/** Shows the state and the work of each engine of the file of engines. Without a file there is none. */
export function showNamedEngines({ namedEngines }: Pick<Services, 'namedEngines'>, metrics: Metrics): void {
  const labels = ['name', 'engine'] as const
  const up = metrics.gauge(
    'named_engine_up',
    '1 while an engine of the file of engines works, 0 while the service retries it',
    labels,
  )
  const seconds = metrics.counter(
    'named_engine_audio_seconds_total',
    'Seconds of speech or recordings, by engine',
    labels,
  )
  const failures = metrics.counter(
    'named_engine_failures_total',
    'Work that failed because of the engine, by engine',
    labels,
  )
  metrics.onRead(() => {
    for (const { name, port: engine, state, work } of namedEngines) {
      up.set(state.up ? 1 : 0, { name, engine })
      seconds.set(work.seconds, { name, engine })
      failures.set(work.failures, { name, engine })
    }
  })
}
