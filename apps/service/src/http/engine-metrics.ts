import { Counter, Gauge, type Registry } from 'prom-client'
import type { Services } from '../services.ts'

/** Shows the state and the work of each engine of the file of engines. Without a file there is none. */
export function showNamedEngines({ namedEngines }: Pick<Services, 'namedEngines'>, registers: Registry[]): void {
  const up: Gauge = new Gauge({
    name: 'svc_audio_named_engine_up',
    help: '1 while an engine of the file of engines works, 0 while the service retries it',
    labelNames: ['name', 'engine'],
    registers,
    collect() {
      for (const { name, port, state } of namedEngines) up.set({ name, engine: port }, state.up ? 1 : 0)
    },
  })
  const count = (name: string, help: string, measure: 'seconds' | 'failures'): void => {
    const total: Counter = new Counter({
      name,
      help,
      labelNames: ['name', 'engine'],
      registers,
      collect() {
        total.reset()
        for (const { name: entry, port, work } of namedEngines) total.inc({ name: entry, engine: port }, work[measure])
      },
    })
  }
  count('svc_audio_named_engine_audio_seconds_total', 'Seconds of speech or recordings, by engine', 'seconds')
  count('svc_audio_named_engine_failures_total', 'Work that failed because of the engine, by engine', 'failures')
}
