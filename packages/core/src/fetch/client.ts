import { PureAudioClient, type PureAudioClientOptions } from '../client.ts'
import { webClock } from './clock.ts'
import { fetchTransport, type FetchTransportOptions } from './transport.ts'

/** Options of {@link createFetchClient}: the client's and the transport's. */
export interface FetchClientOptions
  extends Omit<PureAudioClientOptions, 'transport' | 'clock' | 'files'>, FetchTransportOptions {}

/**
 * The client for Workers, Deno, Bun and browsers. It has no access to files: pass a `Blob`, bytes or a function that
 * opens a stream. In a browser the key is in the hands of whoever opens the page, so give it only to pages of your own.
 * @throws ConfigurationError naming the option
 * @example
 * const audio = createFetchClient({ apiKey: env.SVC_AUDIO_API_KEY, baseUrl: 'https://audio.example.com' })
 */
export function createFetchClient(options: FetchClientOptions): PureAudioClient {
  const { fetch, headersTimeout, idleTimeout, streamUploads, ...rest } = options
  const transport = fetchTransport({ fetch, headersTimeout, idleTimeout, streamUploads })
  return new PureAudioClient({ ...rest, transport, clock: webClock })
}
