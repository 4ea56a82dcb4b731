import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { ConfigurationError } from '@svc-audio/core'
import { LocalServiceError } from '../errors.ts'
import { isAlive } from './shared-work.ts'

/** Voice of the service of this machine, if no option names one. */
export const LOCAL_VOICE = 'joe'
/** The package that speaks. */
const PACKAGE = '@svc-audio/service'
const ENTRY = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './local-service-main.ts' : './local-service-main.js', import.meta.url),
)
/** How long the process may take to end, in milliseconds. */
const STOP_MS = 30_000
/** Characters of the log that an error shows. */
const LOG_LENGTH = 500

/** Where the package is, and what one process needs. */
interface Installed {
  /** Path of its main module. */
  readonly main: string
  readonly version: string
  /** Folder of the data folders. */
  readonly folder: string
  readonly say: (line: string) => void
}

/** Address and key of the running service. */
export interface LocalAddress {
  readonly baseUrl: string
  readonly apiKey: string
}

/** A process that serves. */
interface Running {
  readonly child: ChildProcess
  readonly address: LocalAddress
}

/**
 * A service on this machine, for `service: 'local'`. It runs in a process of its own, on a free port, with a key and a data
 * folder of its own. The process starts with the first call. It ends with the last user, and when this process ends, however
 * that happens.
 */
export class LocalService {
  #installed: Installed | undefined
  #running: Promise<Running> | undefined
  /** Users, by what they do when the process is lost. */
  readonly #users = new Set<() => void>()

  /**
   * Finds the package, from the root of the site.
   * @param folder Folder of the data folders. It holds nothing between two builds.
   * @param say Prints the line of a start.
   * @throws ConfigurationError if the package is not installed
   */
  find(root: string, folder: string, say: (line: string) => void): void {
    const main = resolvePackage(root)
    if (main === undefined) {
      throw new ConfigurationError(
        `service: 'local' needs the package ${PACKAGE}. Install it: npm install --save-dev ${PACKAGE}`,
      )
    }
    this.#installed = { main, version: versionOf(main), folder, say }
  }

  /** Name of the service in the keys of the cache: another version may sound differently. */
  get endpoint(): string {
    return `${PACKAGE} ${this.#found.version}`
  }

  /**
   * Address and key. The first user starts the process, and each user must release it.
   * @param onLost Runs if the process ends by itself. The user has then released it.
   * @throws LocalServiceError if it does not start
   */
  async use(onLost: () => void): Promise<LocalAddress> {
    this.#users.add(onLost)
    const running = (this.#running ??= this.#begin())
    try {
      return (await running).address
    } catch (error) {
      this.#users.delete(onLost)
      throw error
    }
  }

  /**
   * A user needs it no more. Resolves when the process of the last user has ended.
   * @param onLost As given to {@link LocalService.use}.
   */
  async release(onLost: () => void): Promise<void> {
    if (!this.#users.delete(onLost) || this.#users.size > 0 || this.#running === undefined) return
    const stopping = this.#running
    this.#running = undefined
    await stopping.then(({ child }) => stop(child)).catch(() => undefined)
  }

  get #found(): Installed {
    if (this.#installed === undefined) throw new Error('find() comes first')
    return this.#installed
  }

  /** Starts a process, and follows it to its end. After a failure, the next user starts another one. */
  #begin(): Promise<Running> {
    const running = this.#start()
    running.then(
      ({ child }) => child.once('exit', () => this.#lose(running)),
      () => {
        if (this.#running === running) this.#running = undefined
      },
    )
    return running
  }

  async #start(): Promise<Running> {
    const { main, version, folder, say } = this.#found
    const dataDir = makeDataFolder(folder, `${PACKAGE} ${version}`)
    const apiKey = `svca_${randomBytes(24).toString('hex')}`
    const child = fork(ENTRY, [], { execArgv: [], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
    const log = lastOf(child.stderr)
    child.send({ main, dataDir, apiKey })
    const answer: unknown = await Promise.race([
      once(child, 'message').then(([message]: readonly unknown[]) => message),
      once(child, 'exit').then(([code]: readonly unknown[]) => ({ error: `it ended with ${String(code)}` })),
    ])
    const { url, error }: { readonly url?: unknown; readonly error?: unknown } = Object(answer)
    if (typeof url !== 'string') {
      child.kill('SIGKILL')
      rmSync(dataDir, { recursive: true, force: true })
      throw new LocalServiceError(`${PACKAGE} ${version}`, `${String(error)}${log()}`)
    }
    // A build does not wait for it: calls in flight keep this process.
    child.unref()
    child.channel?.unref()
    say(`narration: ${PACKAGE} ${version} speaks on this machine, at ${url}`)
    return { child, address: { baseUrl: url, apiKey } }
  }

  /** The process has ended. Unless this was a stop, its users need another one. */
  #lose(running: Promise<Running>): void {
    if (this.#running !== running) return
    this.#running = undefined
    const users = [...this.#users]
    this.#users.clear()
    for (const onLost of users) onLost()
  }
}

/** Ends the process, and waits for its end. It removes its data folder. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.ref()
  child.disconnect()
  const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
  await ended
  clearTimeout(late)
}

/**
 * Makes a data folder, in the system's temporary folder if the cache cannot be written.
 * @param service Name and version, for the error.
 * @throws LocalServiceError if neither can be written
 */
function makeDataFolder(folder: string, service: string): string {
  try {
    mkdirSync(folder, { recursive: true })
    removeAbandoned(folder)
    return mkdtempSync(join(folder, `${process.pid}-`))
  } catch (error) {
    try {
      return mkdtempSync(join(tmpdir(), 'svc-audio-service-'))
    } catch {
      const why = error instanceof Error ? error.message : String(error)
      throw new LocalServiceError(
        service,
        `it has no folder for its data (${why}), and ${tmpdir()} cannot be written either. ` +
          `Make ${folder} writable, or set TMPDIR to a folder that is`,
      )
    }
  }
}

/** Removes the data folders of processes that were killed. The name of a folder begins with the id of the process that used it. */
function removeAbandoned(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = Number.parseInt(name, 10)
    if (pid > 0 && !isAlive(pid)) rmSync(join(folder, name), { recursive: true, force: true })
  }
}

/** Collects the end of a log. @returns Gives it, for an error */
function lastOf(stream: Duplex | NodeJS.ReadableStream | null): () => string {
  let log = ''
  stream?.on('data', (data: Buffer) => void (log = (log + String(data)).slice(-LOG_LENGTH)))
  // The stream alone must not keep this process.
  if (stream !== null && 'unref' in stream && typeof stream.unref === 'function') stream.unref()
  return () => (log.trim() === '' ? '' : `. Its log: ${log.trim()}`)
}

/** The main module of the package, as a site resolves it; `undefined` if it is not installed. */
function resolvePackage(root: string): string | undefined {
  // The plugin may be linked, and its own folder has another copy.
  for (const from of [join(resolve(root), 'package.json'), fileURLToPath(import.meta.url)]) {
    try {
      return createRequire(from).resolve(PACKAGE)
    } catch {
      // Not from there.
    }
  }
  return undefined
}

/** The version in the nearest manifest. */
function versionOf(main: string): string {
  for (let folder = dirname(main); folder !== dirname(folder); folder = dirname(folder)) {
    const path = join(folder, 'package.json')
    if (!existsSync(path)) continue
    const manifest: unknown = JSON.parse(readFileSync(path, 'utf8'))
    const { name, version }: { readonly name?: unknown; readonly version?: unknown } = Object(manifest)
    if (name === PACKAGE) return String(version)
  }
  return 'unknown'
}
