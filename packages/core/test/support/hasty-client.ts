import { onTestFinished } from 'vitest'
import { checkOptions, checkRequest, type Clock } from '../../src/adapter.ts'
import { nodeTransport } from '../../src/index.ts'
import { PureAudioClient } from '../../src/pure.ts'
import type { PureAudioClientOptions } from '../../src/pure.ts'
import { nodeFiles } from '../../src/node/files.ts'
import { API_KEY } from './clients.ts'

/** A delay of at least this many milliseconds never passes. A shorter one passes at once. */
const FAR = 1_000_000

/** The deadline of a single poll. It never passes either. */
const POLL_TIMEOUT = 60_000

/** A client over the real transport. Its delays pass at once and are recorded. */
export interface HastyClient {
  readonly client: PureAudioClient
  /** Each delay, in milliseconds. */
  readonly delays: number[]
  /** Number of active timers. */
  readonly timers: () => number
}

/** Each delay advances the clock. `random` returns 1, so delays have their greatest length. */
export function hastyClient(baseUrl: string, options: Partial<PureAudioClientOptions> = {}): HastyClient {
  const delays: number[] = []
  const running = new Set<symbol>()
  let time = 0
  const clock: Clock = {
    now: () => time,
    setTimer(milliseconds, run) {
      const timer = Symbol('timer')
      running.add(timer)
      if (milliseconds < FAR && milliseconds !== POLL_TIMEOUT) {
        delays.push(milliseconds)
        setImmediate(() => {
          if (!running.delete(timer)) return
          time += milliseconds
          run()
        })
      }
      return () => void running.delete(timer)
    },
  }
  const client = new PureAudioClient({
    checkRequest,
    checkOptions,
    apiKey: API_KEY,
    transport: nodeTransport(),
    clock,
    files: nodeFiles,
    random: () => 1,
    idleEventsTimeout: FAR,
    baseUrl,
    ...options,
  })
  onTestFinished(() => client.close())
  return { client, delays, timers: () => running.size }
}
