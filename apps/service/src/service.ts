import { mkdir } from 'node:fs/promises'
import { isIPv6 } from 'node:net'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { createApp } from './app.ts'
import { createResultLinks } from './domain/result-links.ts'
import { createCodec } from './drivers/codec/index.ts'
import { createFliteEngine } from './drivers/flite/index.ts'
import { createFolderObjectStore } from './drivers/folder/object-store.ts'
import { createPocketSphinxEngine } from './drivers/pocketsphinx/index.ts'
import { openDatabase } from './drivers/sqlite/database.ts'
import { createKeyStore, secretNamed } from './drivers/sqlite/key-store.ts'
import { createTaskStore } from './drivers/sqlite/task-store.ts'
import { createVoiceStore } from './drivers/sqlite/voice-store.ts'
import type { Services } from './services.ts'
import { speakOwnVoices } from './use-cases/voices-engine.ts'

/** Options of {@link startService}. */
export interface ServiceOptions {
  /** Folder for everything the service keeps; made when it is missing. */
  readonly dataDir: string
  /** Port to listen on; 0 takes a free one. @default 8787 */
  readonly port?: number
  /** Address to listen on. @default '127.0.0.1' */
  readonly host?: string
  /** Keys that are valid beside the stored ones: tenant by key. With any, no key is made at first start. */
  readonly apiKeys?: ReadonlyMap<string, string>
  /** Longest `input`, in characters. @default 100000 */
  readonly maxInputCharacters?: number
  /** What is logged, as JSON lines on standard error. Neither keys nor texts are. @default 'warn' */
  readonly logLevel?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent'
  /** How long a stop waits for running requests, in milliseconds. @default 10000 */
  readonly stopTimeout?: number
}

/** A service that is listening. */
export interface RunningService {
  /** Its address, e.g. `http://127.0.0.1:8787`. */
  readonly url: string
  /** The key that was made at this start, if one was: it can never be seen again. */
  readonly newApiKey: string | undefined
  /** Lets running requests finish, up to `stopTimeout`, then ends the rest and frees everything. */
  close(): Promise<void>
}

/**
 * Starts the service in this process. Resolves when it listens.
 * @throws Error of the system when the port is taken (`EADDRINUSE`) or the folder cannot be written
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { dataDir, port = 8787, host = '127.0.0.1', stopTimeout = 10_000 } = options
  const logger = pino({ level: options.logLevel ?? 'warn' }, pino.destination(2))
  const cleanups: (() => Promise<void>)[] = []
  const cleanUp = async (): Promise<void> => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
  }
  try {
    const uploadFolder = join(dataDir, 'uploads')
    await mkdir(uploadFolder, { recursive: true, mode: 0o700 })
    const database = openDatabase(join(dataDir, 'service.sqlite'))
    cleanups.push(() => database.destroy())
    const [speech, recognition, codec] = await Promise.all([
      createFliteEngine(),
      createPocketSphinxEngine({ cacheDir: join(dataDir, 'cache') }),
      createCodec(),
    ])
    cleanups.push(async () => {
      await Promise.all([speech.close(), recognition.close(), codec.close()])
    })
    let url = ''
    const stopping = new AbortController()
    const voices = createVoiceStore(database)
    const services: Services = {
      speech: speakOwnVoices(speech, voices),
      voices,
      recognition,
      codec,
      keys: createKeyStore(database, options.apiKeys ?? new Map()),
      tasks: createTaskStore(database),
      results: await createFolderObjectStore(join(dataDir, 'results')),
      links: createResultLinks({ secret: await secretNamed(database, 'result-links'), publicUrl: () => url }),
      uploadFolder,
      maxInputCharacters: options.maxInputCharacters ?? 100_000,
      stopping: stopping.signal,
    }
    await services.tasks.failUnfinished({ code: 'interrupted', message: 'The service stopped before the end' })
    const newApiKey = (await services.keys.count()) === 0 ? await services.keys.create('default') : undefined
    const app = await createApp(services, logger)
    cleanups.push(() => closeWithin(app, stopTimeout, () => stopping.abort()))
    await app.listen({ port, host })
    url = addressOf(app.server.address(), host)
    return { url, newApiKey, close: cleanUp }
  } catch (error) {
    await cleanUp()
    throw error
  }
}

/** Time for the last words of what is aborted: an error event, an error body. */
const LAST_WORDS_MS = 500

/**
 * Closes the server: running requests may finish, after a while they are aborted, and soon after that their connections
 * are cut, since a client that does not read would keep its request open for ever.
 */
async function closeWithin(app: FastifyInstance, milliseconds: number, abort: () => void): Promise<void> {
  const timers = [
    setTimeout(abort, milliseconds),
    setTimeout(() => app.server.closeAllConnections(), milliseconds + LAST_WORDS_MS),
  ]
  await app.close()
  for (const timer of timers) clearTimeout(timer)
}

function addressOf(address: ReturnType<import('node:net').Server['address']>, host: string): string {
  if (address === null || typeof address === 'string') throw new Error('The service is not listening on a port')
  return `http://${isIPv6(host) ? `[${host}]` : host}:${address.port}`
}
