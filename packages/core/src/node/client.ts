import { type AudioClientOptions, completeOptions, PureAudioClient } from '../client/index.ts'
import { isNode, type Transport } from '../transport/index.ts'
import type { FileAccess } from '../uploads/index.ts'
import { checkRuntime, nodeTransport } from './transport.ts'

/**
 * The client. On Node it sends over undici, on Bun and Deno over `fetch`. It has access to files. Bundlers for browsers,
 * Workers and edge runtimes take the build over `fetch` of the same import.
 *
 * @example
 * const audio = new AudioClient({ apiKey, baseUrl: 'http://127.0.0.1:8787' })
 * const speech = await audio.speech.create({ model: 'svc-tts-1.5-flash', input: 'Hello', voice_id: 'rms' })
 * await speech.saveTo('hello.mp3')
 */
export class AudioClient extends PureAudioClient {
  /** @throws ConfigurationError naming the option and the environment variable; on a Node older than 22.19 */
  constructor(options: AudioClientOptions = {}) {
    if (isNode()) checkRuntime()
    super(completeOptions(options, { transport: isNode() ? nodeTransport : lazyFetch, files: lazyFiles }))
  }
}

const loadFiles = async (): Promise<FileAccess> => (await import('./files.ts')).nodeFiles

/** Files on this machine. The code is loaded with the first file, so importing the client costs almost nothing. */
const lazyFiles: FileAccess = {
  open: async (...path) => (await loadFiles()).open(...path),
  save: async (...file) => (await loadFiles()).save(...file),
  saveWav: async (...file) => (await loadFiles()).saveWav(...file),
}

/** The transport of Bun and Deno. Node never loads its code. */
function lazyFetch(): Transport {
  let loaded: Promise<Transport> | undefined
  return {
    async send(request) {
      loaded ??= import('../fetch/index.ts').then(({ fetchTransport }) => fetchTransport())
      return (await loaded).send(request)
    },
    close: async () => (await loaded)?.close?.(),
  }
}
