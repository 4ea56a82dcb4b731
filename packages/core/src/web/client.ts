import { type AudioClientOptions, completeOptions } from '../audio-client-options.ts'
import { PureAudioClient } from '../client.ts'
import { fetchTransport } from '../fetch/transport.ts'

/**
 * The client over `fetch`, for browsers, Workers, edge runtimes and React Native. It has no access to files: pass a
 * `Blob`, bytes or a function that opens a stream. In a browser, every visitor of the page can read the key.
 */
export class AudioClient extends PureAudioClient {
  /** @throws ConfigurationError naming the option */
  constructor(options: AudioClientOptions = {}) {
    super(completeOptions(options, { transport: fetchTransport }))
  }
}
