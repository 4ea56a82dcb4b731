import { getEventListeners } from 'node:events'
import { onTestFinished } from 'vitest'
import { checkOptions, checkRequest, type Clock } from '../../src/adapter.ts'
import { nodeTransport } from '../../src/index.ts'
import { PureAudioClient } from '../../src/pure.ts'
import { nodeFiles } from '../../src/node/files.ts'
import { API_KEY } from './clients.ts'

/** A client over the real transport, and what its calls hold. */
export interface WatchedClient {
  readonly client: PureAudioClient
  /** A signal that lives on after the calls. */
  readonly signal: AbortSignal
  readonly abort: (reason: unknown) => void
  /** Timers of deadlines that are running. */
  readonly timers: () => number
  /** Lets every deadline pass that is running. */
  readonly expire: () => void
  /** Every deadline that was ever set, in milliseconds. */
  readonly deadlines: readonly number[]
  /** Listeners on the signal. */
  readonly listeners: () => number
}

/** Every call has a deadline of `timeout` milliseconds, which passes when the test says so and not before. */
export function watchedClient(baseUrl: string, timeout = 1000): WatchedClient {
  const running = new Map<symbol, () => void>()
  const deadlines: number[] = []
  let now = 0
  const clock: Clock = {
    now: () => now,
    setTimer(milliseconds, run) {
      const timer = Symbol('timer')
      running.set(timer, run)
      deadlines.push(milliseconds)
      return () => running.delete(timer)
    },
  }
  const controller = new AbortController()
  const transport = nodeTransport()
  const client = new PureAudioClient({
    checkRequest,
    checkOptions,
    apiKey: API_KEY,
    baseUrl,
    transport,
    clock,
    files: nodeFiles,
    timeout,
    maxRetries: 0,
  })
  onTestFinished(() => client.close())
  return {
    client,
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    timers: () => running.size,
    expire: () => {
      now += 1e9
      for (const run of Array.from(running.values())) run()
    },
    deadlines,
    listeners: () => getEventListeners(controller.signal, 'abort').length,
  }
}
