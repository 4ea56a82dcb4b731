import type { Services } from '../services.ts'
import type { Metrics } from './prometheus.ts'

/** Shows the state, the threads and the memory of the engines. */
export function showEngines(
  { engines, semaphores, engineMemory }: Pick<Services, 'engines' | 'semaphores' | 'engineMemory'>,
  metrics: Metrics,
): void {
  const up = metrics.gauge('engine_up', '1 while an engine works, 0 while the service retries it', ['engine'])
  const threads = metrics.gauge('engine_threads', 'Threads of an engine', ['engine'])
  const busy = metrics.gauge('engine_busy_threads', 'Busy threads of an engine', ['engine'])
  const waiting = metrics.gauge('engine_waiting', 'Jobs in the queue of an engine', ['engine'])
  const memory = metrics.gauge('engine_resident_memory_bytes', 'Memory of the processes of the engines', ['process'])
  metrics.onRead(() => {
    for (const [engine, state] of Object.entries(engines)) up.set(state.up ? 1 : 0, { engine })
    for (const [engine, semaphore] of Object.entries(semaphores)) {
      threads.set(semaphore.size, { engine })
      busy.set(semaphore.busy, { engine })
      waiting.set(semaphore.waiting, { engine })
    }
    memory.setEach(engineMemory())
  })
}

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
