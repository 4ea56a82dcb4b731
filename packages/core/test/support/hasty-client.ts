import { onTestFinished } from 'vitest'
import {
  checkRequest,
  type Clock,
  nodeTransport,
  PureAudioClient,
  type PureAudioClientOptions,
} from '../../src/index.ts'
import { nodeFiles } from '../../src/node/files.ts'
import { API_KEY } from './clients.ts'

/** A delay of at least this many milliseconds is a deadline and never passes; a shorter one passes at once. */
const FAR = 1_000_000

/** The deadline of a single poll, which never passes either. */
const POLL_TIMEOUT = 60_000

/** A client over the real transport whose delays pass at once, and how long they were. */
export interface HastyClient {
  readonly client: PureAudioClient
  /** Each delay, in milliseconds. */
  readonly delays: number[]
  /** Timers that are set. */
  readonly timers: () => number
}

/** Time moves on by each delay as it passes. `random` gives 1, so that delays are as long as they may be. */
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
