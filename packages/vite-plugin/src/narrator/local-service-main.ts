/*
 * The process of `service: 'local'`. It serves the package @svc-audio/service for the process that has started it, and ends
 * when the channel to that process closes.
 */
import { rm } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'

/** What the package exports, as far as it is used here. */
interface ServicePackage {
  readonly startService: (options: object) => Promise<{ readonly url: string; close(): Promise<void> }>
}

/** What the parent sends. */
interface Start {
  /** Path of the main module of the package. */
  readonly main: string
  /** Removed at the end. */
  readonly dataDir: string
  readonly apiKey: string
}

/** How long a stop waits for calls in flight, in milliseconds: their caller has gone. */
const STOP_MS = 100

let dataDir: string | undefined
let starting: Promise<{ close(): Promise<void> }> | undefined

process.once('message', ({ main, apiKey, ...start }: Start) => {
  dataDir = start.dataDir
  starting = serve(main, dataDir, apiKey)
  // The error was sent. The parent ends this process.
  starting.catch(() => undefined)
})
process.once('disconnect', () => void end())
// A terminal sends Ctrl+C to all its processes. The parent decides, and its end closes the channel.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

async function serve(main: string, folder: string, apiKey: string): Promise<{ close(): Promise<void> }> {
  try {
    const loaded: unknown = await import(pathToFileURL(main).href)
    if (!isServicePackage(loaded)) throw new TypeError(`${main} has no startService(): update @svc-audio/service`)
    const apiKeys = new Map([[apiKey, 'local']])
    const service = await loaded.startService({
      dataDir: folder,
      port: 0,
      apiKeys,
      logLevel: 'error',
      stopTimeout: STOP_MS,
    })
    process.send?.({ url: service.url })
    return service
  } catch (error) {
    process.send?.({ error: error instanceof Error ? error.message : String(error) })
    throw error
  }
}

function isServicePackage(value: unknown): value is ServicePackage {
  return typeof Reflect.get(Object(value), 'startService') === 'function'
}

async function end(): Promise<void> {
  await starting?.then((service) => service.close()).catch(() => undefined)
  if (dataDir !== undefined) await rm(dataDir, { recursive: true, force: true })
  process.exit()
}
