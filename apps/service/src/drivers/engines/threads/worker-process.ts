import { type ChildProcess, fork } from 'node:child_process'
import { systemClock } from '../../../domain/clock.ts'
import type { HostPong, HostReply, HostRequest } from './worker-process-protocol.ts'
import { RemoteThread } from './remote-thread.ts'
import type { StartThread, ThreadOptions } from './thread.ts'
import { Watchdog, type WatchdogOptions } from './watchdog.ts'

const ENTRY = new URL(
  import.meta.url.endsWith('.ts') ? './worker-process-main.ts' : './worker-process-main.js',
  import.meta.url,
)

/**
 * How long a process may send nothing, in milliseconds. Its main thread only forwards messages, so it answers a ping at
 * once unless it is stopped or the machine is overloaded.
 */
const DEFAULT_PATIENCE = 15_000

/** Pings in that time. */
const PINGS = 5

/**
 * Runs worker threads in a separate process. Their memory is not this process's, and it is freed completely with the
 * last thread. When the system kills a process for want of memory, it kills that one.
 *
 * The process exists while it has threads. When it is lost, each thread emits `error` and `exit`, and the next new
 * thread starts a new process. A process that answers no ping, for example a stopped one, is killed, and so lost.
 */
export class WorkerProcess {
  readonly #options: WatchdogOptions
  #current: HostProcess | undefined

  /** @param options.patience How long the process may answer no ping, in milliseconds. @default 15000 */
  constructor(options: WatchdogOptions = {}) {
    this.#options = options
  }

  /** Id of the process, while it exists. */
  get pid(): number | undefined {
    return this.#current?.alive === true ? this.#current.pid : undefined
  }

  /** Memory of the process at its last ping. 0 while it does not exist. */
  get residentBytes(): number {
    return this.#current?.alive === true ? this.#current.residentBytes : 0
  }

  /** Starts a thread. Do not call it after {@link WorkerProcess.close}. */
  readonly start: StartThread = (entry, options) => {
    if (this.#current?.alive !== true) this.#current = new HostProcess(this.#options)
    return this.#current.start(entry, options)
  }

  /** Ends all threads. Resolves after the process's exit. */
  async close(): Promise<void> {
    await this.#current?.end()
  }
}

class HostProcess {
  readonly #child: ChildProcess
  readonly #threads = new Map<number, RemoteThread>()
  readonly #gone = Promise.withResolvers<undefined>()
  readonly #watchdog: Watchdog
  #cancelPing: (() => void) | undefined
  #count = 0
  #alive = true
  residentBytes = 0

  constructor({ clock = systemClock, patience = DEFAULT_PATIENCE }: WatchdogOptions) {
    this.#child = fork(ENTRY, {
      execArgv: [],
      // Copies bytes unchanged, while JSON would spell them out.
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    this.#child.on('message', (reply: HostReply | HostPong) => this.#receive(reply))
    this.#child.on('error', (error) => this.#lose(error))
    this.#child.on('exit', (code, signal) =>
      this.#lose(new Error(`The process of the threads ended (${signal ?? code})`)),
    )
    this.#watchdog = new Watchdog(() => this.#kill(), { clock, patience })
    this.#watchdog.watch()
    const ping = (): void => {
      this.#send({ type: 'ping' })
      this.#cancelPing = clock.setTimer(patience / PINGS, ping)
    }
    ping()
  }

  /** False when it ends: no further thread can start. */
  get alive(): boolean {
    return this.#alive
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  start(entry: URL, options: ThreadOptions): RemoteThread {
    this.#count += 1
    const id = this.#count
    const send = (request: HostRequest): void => this.#send(request)
    const thread = new RemoteThread({ id, send, onReference: () => this.#reference() })
    this.#threads.set(id, thread)
    this.#reference()
    this.#send({ type: 'start', id, entry: entry.href, ...options })
    return thread
  }

  async end(): Promise<void> {
    this.#alive = false
    this.#child.ref()
    // It has nothing to lose.
    this.#child.kill('SIGKILL')
    await this.#gone.promise
  }

  #send(request: HostRequest): void {
    // A closed channel means that the process has ended. Its exit event reports that.
    this.#child.send(request, undefined, undefined, () => undefined)
  }

  #receive(reply: HostReply | HostPong): void {
    this.#watchdog.watch()
    if (reply.event === 'pong') {
      this.residentBytes = reply.residentBytes
      return
    }
    this.#threads.get(reply.id)?.receive(reply)
    if (reply.event === 'exit') this.#threads.delete(reply.id)
    if (this.#threads.size === 0) void this.end()
  }

  /** SIGKILL ends a stopped process too. */
  #kill(): void {
    this.#child.kill('SIGKILL')
    this.#lose(new Error('The process of the threads answered no ping and was killed'))
  }

  #lose(reason: Error): void {
    this.#alive = false
    this.#cancelPing?.()
    this.#watchdog.rest()
    for (const [id, thread] of this.#threads) {
      thread.receive({ id, event: 'error', value: reason })
      thread.receive({ id, event: 'exit', value: 1 })
    }
    this.#threads.clear()
    this.#gone.resolve(undefined)
  }

  /** The process keeps this one alive if one of its threads does. */
  #reference(): void {
    const referenced = Array.from(this.#threads.values()).some((thread) => thread.referenced)
    const hold = referenced ? 'ref' : 'unref'
    this.#child[hold]()
    this.#child.channel?.[hold]()
  }
}
