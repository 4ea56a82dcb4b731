import { getEventListeners } from 'node:events'
import { onTestFinished } from 'vitest'
import { type Clock, nodeTransport, PureAudioClient } from '../../src/index.ts'
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
  /** Listeners on the signal. */
  readonly listeners: () => number
}

/** Every call is meant to be given `signal`, and has a deadline that does not pass. */
export function watchedClient(baseUrl: string): WatchedClient {
  const running = new Set<symbol>()
  const clock: Clock = {
    setTimer() {
      const timer = Symbol('timer')
      running.add(timer)
      return () => running.delete(timer)
    },
  }
  const controller = new AbortController()
  const transport = nodeTransport()
  const client = new PureAudioClient({ apiKey: API_KEY, baseUrl, transport, clock, files: nodeFiles, timeout: 1 })
  onTestFinished(() => client.close())
  return {
    client,
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    timers: () => running.size,
    listeners: () => getEventListeners(controller.signal, 'abort').length,
  }
}
