import { createFetchClient } from '@svc-audio/core/fetch'
import type { PureAudioClient } from '@svc-audio/core/pure'
import type { ExchangeLog } from '../inspector/exchange-log.ts'
import { recordingFetch } from '../inspector/recording-fetch.ts'

/**
 * Creates the client of a panel: the client of this repository, over `fetch`, to the playground's server. That server
 * replaces the key. It does not retry: the page shows each failure.
 * @param log Receives every request, for the inspector.
 */
export function createPanelClient(log: ExchangeLog): PureAudioClient {
  return createFetchClient({
    apiKey: 'the-server-has-it',
    baseUrl: `${location.origin}/api`,
    fetch: recordingFetch(log),
    maxRetries: 0,
  })
}

/** Reads the service's audio to its end. @throws errors of the client when the audio is cut */
export async function blobOf(audio: Awaited<ReturnType<PureAudioClient['speech']['create']>>): Promise<Blob> {
  return new Blob([await audio.bytes()], { type: audio.contentType })
}

/** The address of a result for this page. The service names the playground by its number; the page may use its name. */
export function resultAddress(url: string): string {
  const { pathname, search } = new URL(url, location.href)
  return pathname.startsWith('/api/v1/') ? pathname + search : url
}
