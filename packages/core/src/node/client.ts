import { webClock } from '../transport/web-clock.ts'
import { type ClientOptions, PureAudioClient } from '../client.ts'
import { ConfigurationError } from '../errors/request-errors.ts'
import { telemetry, type TelemetryOptions } from '../telemetry/telemetry.ts'
import type { Transport } from '../transport/transport.ts'
import type { ApiKey } from '../transport/key-source.ts'
import { createSemaphore } from '../transport/semaphore.ts'
import type { FileAccess } from '../transport/upload-source.ts'
import { nameUpload } from '../transport/upload-name.ts'
import { checkNames, checkOptions } from '../checks/check-options.ts'
import { checkRequest } from '../checks/check-request.ts'
import { checkRuntime } from './check-runtime.ts'
import { nodeTransport } from './transport.ts'

/** Options of {@link AudioClient}. */
export interface AudioClientOptions extends ClientOptions, TelemetryOptions {
  /**
   * The bearer key, or a function that returns the current one, called before each request.
   * @default the environment variable `SVC_AUDIO_API_KEY`
   */
  readonly apiKey?: ApiKey
  /**
   * Address of the service, e.g. `http://127.0.0.1:8787`. A trailing `/v1` is dropped.
   * @default the environment variable `SVC_AUDIO_BASE_URL`
   */
  readonly baseUrl?: string
  /** What carries the requests. @default `nodeTransport()` */
  readonly transport?: Transport
}

/** Every option, so that an unknown name is refused instead of ignored. */
const OPTION_NAMES: Readonly<Record<keyof AudioClientOptions, true>> = {
  allowPrivateUrls: true,
  apiKey: true,
  baseUrl: true,
  headers: true,
  idleEventsTimeout: true,
  logger: true,
  maxRetries: true,
  maxUploadBytes: true,
  semaphore: true,
  timeout: true,
  traceContent: true,
  tracer: true,
  transport: true,
}

/**
 * The client on Node: undici, the file system and the environment filled in.
 *
 * @example
 * const audio = new AudioClient({ apiKey, baseUrl: 'http://127.0.0.1:8787' })
 * const speech = await audio.speech.create({ model: 'svc-tts-1.5-flash', input: 'Hello', voice_id: 'rms' })
 * await speech.saveTo('hello.mp3')
 */
export class AudioClient extends PureAudioClient {
  /** @throws ConfigurationError naming the option and the environment variable; on Bun, and on a Node older than 22.19 */
  constructor(options: AudioClientOptions = {}) {
    checkRuntime()
    checkNames(options, OPTION_NAMES, 'AudioClient')
    super({
      ...options,
      apiKey: options.apiKey ?? fromEnvironment('apiKey', 'SVC_AUDIO_API_KEY'),
      baseUrl: options.baseUrl ?? fromEnvironment('baseUrl', 'SVC_AUDIO_BASE_URL'),
      transport: options.transport ?? nodeTransport(),
      clock: webClock,
      files: lazyFiles,
      semaphore: options.semaphore ?? createSemaphore(64),
      observe: telemetry(options),
      nameUpload,
      checkRequest,
      checkOptions,
    })
  }
}

const loadFiles = async (): Promise<FileAccess> => (await import('./files.ts')).nodeFiles

/** Files on this machine. The code is loaded with the first file, so importing the client costs almost nothing. */
const lazyFiles: FileAccess = {
  open: async (...path) => (await loadFiles()).open(...path),
  save: async (...file) => (await loadFiles()).save(...file),
  saveWav: async (...file) => (await loadFiles()).saveWav(...file),
}

function fromEnvironment(option: string, variable: string): string {
  const value = process.env[variable]
  if (value === undefined || value === '') {
    throw new ConfigurationError(`${option} is missing: pass it to the client or set ${variable}`)
  }
  return value
}
