import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BenchContext } from './bench-case.ts'

/** How a process of the benchmark is started. */
export interface ProcessOptions {
  /** Ends the process. */
  readonly signal?: AbortSignal
  /** Flags of Node. @default none */
  readonly flags?: readonly string[]
  /** The Node program. @default this process's */
  readonly node?: string
}

/** A process of the benchmark: its cost is separate from that of this process. */
export class BenchProcess implements AsyncDisposable {
  readonly #child: ChildProcess

  private constructor(child: ChildProcess) {
    this.#child = child
    // An abort is an error of the process. The next wait for a message reports it.
    child.on('error', () => {})
  }

  /** Starts a module with arguments. Standard output belongs to the report. */
  static start(entry: URL, args: readonly string[], { signal, flags = [], node }: ProcessOptions = {}): BenchProcess {
    return new BenchProcess(
      fork(fileURLToPath(entry), args, {
        execArgv: [...flags],
        stdio: ['ignore', process.stderr, process.stderr, 'ipc'],
        ...(signal === undefined ? {} : { signal }),
        ...(node === undefined ? {} : { execPath: node }),
      }),
    )
  }

  /** The id of the process. */
  get pid(): number {
    return this.#child.pid ?? 0
  }

  /**
   * The next message. The caller names its type: such a process sends only the messages in its entry.
   * @throws Error when the process ends before
   */
  next<Message>(): Promise<Message> {
    const child = this.#child
    return new Promise((resolve, reject) => {
      const settle = (action: () => void): void => {
        child.off('message', arrive).off('error', fail).off('exit', end)
        action()
      }
      const arrive = (message: unknown): void => settle(() => resolve(message as Message))
      const fail = (error: Error): void => settle(() => reject(error))
      const end = (): void => fail(new Error('A process of the measurement ended too soon'))
      child.on('message', arrive).on('error', fail).on('exit', end)
    })
  }

  /** Every message from now on. */
  onMessage(listener: (message: unknown) => void): void {
    this.#child.on('message', listener)
  }

  /** @throws Error when the process ends */
  async ended(): Promise<never> {
    await once(this.#child, 'exit')
    throw new Error('A process of the measurement ended too soon')
  }

  /** Sends a message. @returns the response */
  ask<Message>(message: string): Promise<Message> {
    const response = this.next<Message>()
    this.#child.send(message)
    return response
  }

  stop(): void {
    this.#child.kill()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.stop()
    await ended
  }
}

/** Cost of one piece of work in a separate process. */
export interface Measurement<Result> {
  /** Result of the work. */
  readonly result: Result
  /** Largest resident size of the process in its whole life, in bytes. */
  readonly peakBytes: number
  /** User and system time of the work, all threads, in seconds, without start-up and imports. */
  readonly cpuSeconds: number
}

/** A contestant: loads what it needs, before the clock starts, and returns its work. */
export type Contestant<Args, Result> = () => Promise<(args: Args) => Promise<Result>>

/** Exports of a measured module. */
export interface MeasuredModule<Args, Result = unknown> {
  readonly contestants: Readonly<Record<string, Contestant<Args, Result>>>
}

const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url))

/**
 * Runs a contestant of a module in a fresh process and returns its cost.
 * @throws when the process fails or the run is aborted
 */
export async function measure<Result>(
  context: BenchContext,
  module: URL,
  contestant: string,
  args: object,
): Promise<Measurement<Result>> {
  const child = fork(CHILD, [module.href, contestant, JSON.stringify(args)], {
    signal: context.signal,
    stdio: ['ignore', process.stderr, process.stderr, 'ipc'],
    // Type stripping takes 17 MB, which users of the compiled package do not pay. A cached module takes nothing.
    env: { ...process.env, NODE_COMPILE_CACHE: join(context.folder, 'compile-cache') },
  })
  return new Promise((resolve, reject) => {
    let measurement: Measurement<Result> | undefined
    // The child sends nothing else.
    child.once('message', (message) => (measurement = message as Measurement<Result>))
    child.once('error', reject)
    child.once('exit', (code, killed) => {
      if (measurement !== undefined && code === 0) resolve(measurement)
      else reject(new Error(`${contestant} of ${fileURLToPath(module)} ended with ${code ?? killed}`))
    })
  })
}
