import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AudioClient } from '@svc-audio/core'
import { checkNode } from '@svc-audio/core/adapter'

/** A client with what stands behind it. */
export interface OpenAudio extends AsyncDisposable {
  /** The client. */
  readonly client: AudioClient
}

/** No recording takes a day. A stream that stands still ends by the client's own deadline of idle events. */
const DAY_MS = 24 * 3600 * 1000

/** What a command shows while {@link openAudio} opens. */
export function openingLine(env: Readonly<Record<string, string | undefined>>): string {
  return serviceAddress(env) === undefined ? 'Starting the engines …' : 'Connecting …'
}

function serviceAddress({ SVC_AUDIO_BASE_URL = '' }: Readonly<Record<string, string | undefined>>): string | undefined {
  return SVC_AUDIO_BASE_URL.trim() === '' ? undefined : SVC_AUDIO_BASE_URL
}

/**
 * Opens the service of `SVC_AUDIO_BASE_URL`. Without it, starts the bundled engines in this process, on a free port of
 * the loopback address, with a key and a data folder of their own; the folder is removed at the end.
 * @throws ConfigurationError for a service without `SVC_AUDIO_API_KEY`, and on an old Node
 */
export async function openAudio(env: Readonly<Record<string, string | undefined>>): Promise<OpenAudio> {
  // Before the engines are loaded: an old Node lacks what they need, with errors that do not name the cause.
  checkNode('the command line')
  const baseUrl = serviceAddress(env)
  if (baseUrl !== undefined) {
    const apiKey = env['SVC_AUDIO_API_KEY']
    const client = new AudioClient({ baseUrl, timeout: DAY_MS, ...(apiKey === undefined ? {} : { apiKey }) })
    return { client, [Symbol.asyncDispose]: () => client.close() }
  }
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-audio-'))
  const removeFolder = (): Promise<void> => rm(dataDir, { recursive: true, force: true })
  try {
    hideSqliteWarning()
    const { startService } = await import('@svc-audio/service')
    const apiKey = randomBytes(24).toString('base64url')
    const apiKeys = new Map([[apiKey, 'cli']])
    const service = await startService({
      dataDir,
      port: 0,
      apiKeys,
      logLevel: 'silent',
      stopTimeout: 1000,
      // It serves one person, who may read a book aloud.
      maxInputCharacters: 10_000_000,
      maxOutputSeconds: Infinity,
    })
    const client = new AudioClient({ baseUrl: service.url, apiKey, timeout: DAY_MS })
    return {
      client,
      async [Symbol.asyncDispose]() {
        try {
          await client.close()
          await service.close()
        } finally {
          await removeFolder()
        }
      },
    }
  } catch (error) {
    await removeFolder()
    throw error
  }
}

/** Node 22 and 24 say once that `node:sqlite` is experimental. The person at the terminal cannot act on it. */
function hideSqliteWarning(): void {
  const printers = process.listeners('warning')
  process.removeAllListeners('warning').on('warning', (warning) => {
    if (!warning.message.startsWith('SQLite ')) for (const print of printers) print(warning)
  })
}
