import { type ChildProcess, fork } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { DEFAULT_PRIORITIES, type Priorities, ScheduledTime, systemTimers } from '@svc-audio/engine-ports/driver'
import {
  ownedBytes,
  type StartThread,
  type Thread,
  type ThreadOptions,
  Watchdog,
  type WatchdogOptions,
} from './thread.ts'

const ENTRY = new URL(
  import.meta.url.endsWith('.ts') ? './worker-process-main.ts' : './worker-process-main.js',
  import.meta.url,
)

/**
 * How long a process may send nothing, in milliseconds that its main thread was given. That thread only forwards
 * messages, so it answers a ping at once unless it is stopped. Time in which it waits for a processor does not count.
 */
const DEFAULT_PATIENCE = 15_000

/** Pings in that time. */
const PINGS = 5

/** Options of {@link WorkerProcess}. */
export interface WorkerProcessOptions extends WatchdogOptions {
  /** Nice values of the process and of its background work. @default 5 and 15 */
  readonly priorities?: Priorities | undefined
}

/**
 * Runs worker threads in a separate process. Their memory is not this process's, and it is freed completely with the
 * last thread. When the system kills a process for want of memory, it kills that one.
 *
 * The process exists while it has threads. When it is lost, each thread emits `error` and `exit`, and the next new
 * thread starts a new process. A process that answers no ping, for example a stopped one, is killed, and so lost.
 */
export class WorkerProcess {
  readonly #options: WorkerProcessOptions
  #current: HostProcess | undefined

  /** @param options.patience How long the process may answer no ping, in milliseconds. @default 15000 */
  constructor(options: WorkerProcessOptions = {}) {
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

  /** @returns A function that tells the share of the time since its last call that the process was given, from 0 to 1 */
  measureShare(): () => number {
    let measured: { readonly pid: number | undefined; readonly time: ScheduledTime } | undefined
    return () => {
      const { pid } = this
      if (pid === undefined) return 1
      if (measured?.pid !== pid) measured = { pid, time: new ScheduledTime(pid) }
      return measured.time.share()
    }
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

  constructor(options: WorkerProcessOptions) {
    const { clock = systemTimers, patience = DEFAULT_PATIENCE, priorities = DEFAULT_PRIORITIES } = options
    this.#child = fork(ENTRY, [String(priorities.engine), String(priorities.background)], {
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
    const { pid } = this.#child
    // Its main thread answers the pings.
    const main = pid === undefined ? undefined : new ScheduledTime(pid, 'main', { young: true })
    this.#watchdog = new Watchdog(() => this.#kill(), { clock, patience, share: () => main?.share() ?? 1 })
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
    const { pid } = this.#child
    const time = pid === undefined ? undefined : new ScheduledTime(pid)
    const share = (): number => time?.share() ?? 1
    const thread = new RemoteThread({ id, send, share, onReference: () => this.#reference() })
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
    this.#lose(new Error('The engine process stopped responding and was killed'))
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

/** The part of a process that its threads use. */
interface RemoteThreadParts {
  readonly id: number
  readonly send: (request: HostRequest) => void
  /** See {@link Thread.share}. */
  readonly share: () => number
  /** Called when {@link RemoteThread.referenced} may have changed. */
  readonly onReference: () => void
}

/** A handle of a thread in another process. */
class RemoteThread extends EventEmitter implements Thread<unknown> {
  readonly #parts: RemoteThreadParts
  readonly #gone: Promise<unknown>
  #ended = false
  #referenced = true

  constructor(parts: RemoteThreadParts) {
    super()
    this.#parts = parts
    this.#gone = new Promise((resolve) => {
      this.once('exit', resolve)
    })
  }

  share(): number {
    return this.#parts.share()
  }

  /** Whether it keeps this process alive. */
  get referenced(): boolean {
    return this.#referenced && !this.#ended
  }

  /** Copies the buffers: nothing can be transferred to another process. */
  postMessage(message: unknown): void {
    const { id, send } = this.#parts
    if (!this.#ended) send({ type: 'post', id, message })
  }

  async terminate(): Promise<unknown> {
    const { id, send } = this.#parts
    if (!this.#ended) send({ type: 'terminate', id })
    // A caller that awaits its end must see it.
    this.ref()
    return this.#gone
  }

  ref(): void {
    this.#referenced = true
    this.#parts.onReference()
  }

  unref(): void {
    this.#referenced = false
    this.#parts.onReference()
  }

  /** Handles a message about it. */
  receive({ event, value }: HostReply): void {
    if (this.#ended) return
    if (event === 'exit') {
      this.#ended = true
      this.#parts.onReference()
    }
    this.emit(event, ownedBytes(value))
  }
}

/** Messages to a host of threads. Thread numbers are never reused. */
export type HostRequest =
  | ({ readonly type: 'start'; readonly id: number; readonly entry: string } & ThreadOptions)
  | { readonly type: 'post'; readonly id: number; readonly message: unknown }
  | { readonly type: 'terminate'; readonly id: number }
  | { readonly type: 'ping' }

/** The response to a ping. */
export interface HostPong {
  readonly event: 'pong'
  readonly residentBytes: number
}

/** Messages about a thread. */
export interface HostReply {
  readonly id: number
  readonly event: 'message' | 'messageerror' | 'error' | 'exit'
  /** The message, the error or the exit code. */
  readonly value: unknown
}
