import { getEventListeners } from 'node:events'
import { onTestFinished, vi } from 'vitest'
import { createFetchClient, type FetchClientOptions } from '../../src/fetch/index.ts'
import { webClock } from '../../src/adapter.ts'
import type { PureAudioClient } from '../../src/index.ts'
import { API_KEY } from './clients.ts'

/** The timers of {@link webClock} that are set, until they fire or are taken back. */
const running = new Set<symbol>()
const real = { ...webClock }
vi.spyOn(webClock, 'setTimer').mockImplementation((milliseconds, run) => {
  const timer = Symbol('timer')
  running.add(timer)
  const clear = real.setTimer(milliseconds, () => {
    running.delete(timer)
    run()
  })
  return () => {
    running.delete(timer)
    clear()
  }
})

/** A client over Node's own `fetch`, and what its calls hold. */
export interface WatchedFetch {
  readonly client: PureAudioClient
  /** A signal that lives on after the calls. */
  readonly signal: AbortSignal
  readonly abort: (reason?: unknown) => void
  /** Timers of the transport that are set, and listeners on the signal. */
  readonly held: () => { readonly timers: number; readonly listeners: number }
}

export const NOTHING = { timers: 0, listeners: 0 }

export function watchedFetch(baseUrl: string, options: Partial<FetchClientOptions> = {}): WatchedFetch {
  const controller = new AbortController()
  const client = createFetchClient({ apiKey: API_KEY, baseUrl, ...options })
  onTestFinished(async () => {
    await client.close()
    running.clear()
  })
  return {
    client,
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    held: () => ({ timers: running.size, listeners: getEventListeners(controller.signal, 'abort').length }),
  }
}
