import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { ServiceState } from '../shared/api.ts'

/** The service behind the page. */
export interface Upstream {
  /** Its address, without `/v1`. It does not change. */
  readonly baseUrl: string
  /** Its key. It never leaves this process. */
  readonly apiKey: string
  /** Whether the playground starts and stops it. */
  readonly embedded: boolean
  /** Whether it can be used now. */
  state(): Promise<ServiceState>
  /** Resolves when it can be used, or after a few seconds. */
  ready(): Promise<void>
  /** Starts a stopped service at once, without the rest of the delay. */
  retry(): void
  /** Process of an embedded service, while it runs. */
  pid(): number | undefined
  /** Stops an embedded service. */
  close(): Promise<void>
}

/** Options of the service's process, as the parent sends them. */
export interface ServiceProcessOptions {
  readonly apiKey: string
  readonly dataDir: string
  /** 0 selects a free port. */
  readonly port: number
  /** Address in links to results. */
  readonly publicUrl: string
  /** Addresses that webhooks may call. */
  readonly webhookAllow: readonly string[]
}

/** Message of the service's process when it answers. */
export interface ServiceReady {
  readonly url: string
}

/** Deadline of a check, in milliseconds. The service may be far away. */
const OTHER_TIMEOUT = 2000

/** A service that somebody else runs. Any response but a refused key counts as `up`: the page shows its refusals itself. */
export function otherService(baseUrl: string, apiKey: string): Upstream {
  const check = new ServiceCheck(() => `${baseUrl}/v1/models`, OTHER_TIMEOUT, { authorization: `Bearer ${apiKey}` })
  return {
    baseUrl,
    apiKey,
    embedded: false,
    state: async () => stateOf(await check.result()),
    ready: async () => {},
    retry: () => check.reset(),
    pid: () => undefined,
    close: async () => {},
  }
}

function stateOf(checked: Checked): ServiceState {
  if (checked === 'unreachable') return 'down'
  if (checked === 401 || checked === 403) return 'refused'
  return checked === 'silent' ? 'silent' : 'up'
}

const PROGRAM = fileURLToPath(new URL('service-process.ts', import.meta.url))

/** Longest delay before a restart, in milliseconds. */
const MAX_DELAY = 10_000

/** Longest wait of a request for a service that starts, in milliseconds. */
const READY_TIMEOUT = 30_000

/** Deadline of a check, in milliseconds. The page says within two seconds that the service is silent. */
const EMBEDDED_TIMEOUT = 1000

/** Longest wait for the end of the process, in milliseconds. The service itself waits 10 seconds for its tasks. */
const STOP_TIMEOUT = 15_000

/**
 * Starts the service in a process of its own and restarts it whenever it ends, on the same port and with the same data.
 * @throws Error with the output of the process when the first start fails
 */
export async function startEmbeddedService(options: Omit<ServiceProcessOptions, 'port'>): Promise<Upstream> {
  const service = new EmbeddedService(options)
  await service.start()
  return service
}

class EmbeddedService implements Upstream {
  readonly embedded = true
  readonly apiKey: string
  readonly #options: Omit<ServiceProcessOptions, 'port'>
  #url = ''
  #port = 0
  #child: ChildProcess | undefined
  #up = Promise.withResolvers<void>()
  #state: ServiceState = 'starting'
  #failures = 0
  #timer: NodeJS.Timeout | undefined
  #closed = false
  readonly #check = new ServiceCheck(() => `${this.#url}/healthz`, EMBEDDED_TIMEOUT)

  constructor(options: Omit<ServiceProcessOptions, 'port'>) {
    this.#options = options
    this.apiKey = options.apiKey
  }

  get baseUrl(): string {
    return this.#url
  }

  async state(): Promise<ServiceState> {
    if (this.#state !== 'up') return this.#state
    // A process that is frozen still accepts connections. One that ends has told so itself.
    return (await this.#check.result()) === 'silent' ? 'silent' : this.#state
  }

  async ready(): Promise<void> {
    if (this.#state === 'up') return
    const deadline = Promise.withResolvers<void>()
    const timer = setTimeout(deadline.resolve, READY_TIMEOUT)
    await Promise.race([this.#up.promise, deadline.promise])
    clearTimeout(timer)
  }

  retry(): void {
    this.#check.reset()
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#restart()
  }

  pid(): number | undefined {
    return this.#child?.pid
  }

  /** Starts the process. @throws Error with its output when it ends before it answers */
  async start(): Promise<void> {
    this.#state = 'starting'
    const child = fork(PROGRAM, [], { execArgv: [], stdio: ['ignore', 'inherit', 'pipe', 'ipc'] })
    this.#child = child
    let output = ''
    child.stderr?.on('data', (data: Buffer) => {
      process.stderr.write(data)
      output = (output + data.toString()).slice(-2000)
    })
    const ended = once(child, 'exit')
    child.send({ ...this.#options, port: this.#port } satisfies ServiceProcessOptions)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the child is service-process.ts of the same version
    const [ready] = (await Promise.race([once(child, 'message'), ended.then(() => [])])) as [ServiceReady?]
    if (ready === undefined) throw new Error(`The service did not start.\n${output}`)
    this.#url = ready.url
    // The next start uses the same port, so the address stays valid.
    this.#port = Number(new URL(ready.url).port)
    this.#state = 'up'
    this.#failures = 0
    this.#up.resolve()
    void ended.then(() => this.#restartLater())
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    if (child.connected) child.disconnect()
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT)
    await ended
    clearTimeout(timer)
  }

  #restartLater(): void {
    if (this.#state === 'up') this.#up = Promise.withResolvers()
    this.#child = undefined
    if (this.#closed) return
    // The first restart comes at once.
    const delay = this.#failures === 0 ? 0 : Math.min(MAX_DELAY, 250 * 2 ** this.#failures)
    this.#state = delay === 0 ? 'starting' : 'down'
    this.#timer = setTimeout(() => this.#restart(), delay)
  }

  #restart(): void {
    this.#timer = undefined
    this.start().catch(() => {
      // The process has printed its error.
      this.#failures += 1
      this.#restartLater()
    })
  }
}

/** How long the result of a check is used, in milliseconds: for all pages that ask at about the same time. */
const FRESH = 300

/** What a check has found: the status of the response, no response in time, or no connection. */
type Checked = number | 'silent' | 'unreachable'

/** Asks a service for a response, a few times per second at most, however many pages ask. */
class ServiceCheck {
  readonly #url: () => string
  readonly #timeout: number
  readonly #headers: Readonly<Record<string, string>>
  #last: { readonly at: number; readonly result: Promise<Checked> } | undefined

  /**
   * @param url Read at each check.
   * @param timeout Deadline of a check, in milliseconds.
   */
  constructor(url: () => string, timeout: number, headers: Readonly<Record<string, string>> = {}) {
    this.#url = url
    this.#timeout = timeout
    this.#headers = headers
  }

  /** Returns the last result while it is fresh, else that of a new check. */
  result(): Promise<Checked> {
    if (this.#last === undefined || performance.now() - this.#last.at > FRESH) {
      this.#last = { at: performance.now(), result: this.#ask() }
    }
    return this.#last.result
  }

  /** Forgets the last result. */
  reset(): void {
    this.#last = undefined
  }

  async #ask(): Promise<Checked> {
    try {
      const response = await fetch(this.#url(), { headers: this.#headers, signal: AbortSignal.timeout(this.#timeout) })
      await response.body?.cancel()
      return response.status
    } catch (error) {
      return error instanceof Error && error.name === 'TimeoutError' ? 'silent' : 'unreachable'
    }
  }
}
