import type { ChildProcess, ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { cancellableSource, lowerPriority, ScheduledTime } from '@svc-audio/engine-ports/driver'

/** One run of ffmpeg: a child process, or a part of the life of one that stays loaded. */
export interface FfmpegProcess {
  readonly pid: number | undefined
  /** Whether the process starts now. */
  readonly young: boolean
  readonly stdin: Writable
  readonly stdout: AsyncIterable<Buffer>
  /** The end of the run. By then the process has been reaped, unless it stays loaded. */
  readonly exit: Promise<ChildExit>
  /** Reads the end of standard error, after the process has closed it. */
  readMessages(): Promise<string>
  /** Passes on each line of standard error from now on, then `undefined` for its end. */
  onMessage(take: (line: string | undefined) => void): void
  /** Lowers the priority of the process, for good. */
  lowerPriority(nice: number): void
  /** Kills the process, unless the run has succeeded. Does not wait for helper processes that hold its pipes open. */
  kill(): void
}

/** How a child process ended, or why it never started. */
export interface ChildExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly error?: Error
}

/** The run of a child process that ends with it. Call this before any `await`. */
export function processOf(child: ChildProcessWithoutNullStreams): FfmpegProcess {
  const messages = new Messages(child)
  return {
    pid: child.pid,
    young: true,
    stdin: child.stdin,
    stdout: child.stdout,
    exit: childExit(child),
    readMessages: () => messages.read(),
    onMessage: (take) => messages.follow(take),
    lowerPriority: (nice) => lowerPriority(child.pid, nice),
    kill: () => killWithPipes(child),
  }
}

/** Input and limits of one run of ffmpeg. */
export interface RunOptions {
  /** Data for standard input. @default none */
  readonly input?: AsyncIterable<Uint8Array>
  /** Passes each chunk of the input on in its turn. `bytes` is the length of the chunk. @default at once */
  readonly inTurn?: (<T>(bytes: number, signal: AbortSignal, work: () => Promise<T>) => Promise<T>) | undefined
  readonly signal: AbortSignal
  /** Limit of ffmpeg's own working time, in seconds. Waits for the reader or for input do not count. */
  readonly timeoutSeconds: number
}

/**
 * Yields ffmpeg's standard output as it comes. The reader sets the pace: while it does not read, the pipes fill up and
 * ffmpeg waits. When the generator ends, for any reason, the run has ended too, and its process unless it stays loaded.
 *
 * @throws FfmpegError when ffmpeg fails, FfmpegTimeoutError when it takes too long, the error of `input`, or the
 * signal's reason. A program that cannot be started throws the system's error.
 */
export async function* runFfmpeg(child: FfmpegProcess, options: RunOptions): AsyncGenerator<Uint8Array> {
  const run = new FfmpegRun(child, options)
  try {
    yield* run.output()
    await run.succeed()
  } finally {
    await run.end()
  }
}

class FfmpegRun {
  readonly #child: FfmpegProcess
  readonly #signal: AbortSignal
  readonly #clock: BusyClock
  /** Aborts with the error to throw, as soon as the run cannot succeed any more. */
  readonly #stop = new AbortController()
  readonly #abort = (): void => this.#fail(this.#signal.reason)
  #readError: unknown

  constructor(child: FfmpegProcess, { input, inTurn, signal, timeoutSeconds }: RunOptions) {
    this.#child = child
    this.#signal = signal
    const time = child.pid === undefined ? undefined : new ScheduledTime(child.pid, 'all', { young: child.young })
    const onSpent = (): void => this.#fail(new FfmpegTimeoutError(timeoutSeconds))
    this.#clock = new BusyClock(timeoutSeconds * 1000, onSpent, () => time?.share() ?? 1)
    signal.addEventListener('abort', this.#abort, { once: true })
    if (signal.aborted) this.#abort()
    if (input === undefined) child.stdin.end()
    else void this.#feed(input, inTurn)
  }

  /** Yields the output until standard output ends. */
  async *output(): AsyncGenerator<Uint8Array> {
    const chunks: AsyncIterator<Buffer> = this.#child.stdout[Symbol.asyncIterator]()
    for (;;) {
      this.#clock.readerWaits = true
      const chunk = await chunks.next().catch((error: unknown) => {
        this.#readError = error
      })
      this.#stop.signal.throwIfAborted()
      if (chunk === undefined || chunk.done === true) return
      this.#clock.readerWaits = false
      yield chunk.value
    }
  }

  /** Waits for the end. @throws The error that made the run fail. */
  async succeed(): Promise<void> {
    const { code, signal, error } = await this.#child.exit
    const messages = code === 0 || error !== undefined ? '' : await this.#child.readMessages()
    this.#stop.signal.throwIfAborted()
    if (error !== undefined) throw error
    if (code !== 0) throw new FfmpegError({ code, signal }, messages)
    if (this.#readError !== undefined) throw new Error('Reading from ffmpeg failed', { cause: this.#readError })
  }

  /** Ends a running process and frees everything. */
  async end(): Promise<void> {
    this.#signal.removeEventListener('abort', this.#abort)
    this.#fail(new DOMException('The run has ended', 'AbortError'))
    await this.#child.exit
  }

  #fail(reason: unknown): void {
    this.#stop.abort(reason)
    this.#clock.stop()
    this.#child.kill()
  }

  async #feed(
    input: AsyncIterable<Uint8Array>,
    inTurn: RunOptions['inTurn'] = (_bytes, _signal, work) => work(),
  ): Promise<void> {
    const { stdin } = this.#child
    const { signal } = this.#stop
    const pass = async (chunk: Uint8Array): Promise<boolean> => {
      this.#clock.awaitsInput = false
      return offer(stdin, chunk, signal)
    }
    try {
      this.#clock.awaitsInput = true
      for await (const chunk of cancellableSource(input, signal)) {
        if (!(await inTurn(chunk.byteLength, signal, () => pass(chunk)))) return
        this.#clock.awaitsInput = true
      }
      this.#clock.awaitsInput = false
      stdin.end()
    } catch (error) {
      this.#fail(error)
    }
  }
}

/** Writes at the reader's pace. Resolves to false when the reader is gone; the exit code then tells why. */
async function offer(pipe: Writable, chunk: Uint8Array, signal: AbortSignal): Promise<boolean> {
  if (!pipe.writable) return false
  if (pipe.write(chunk)) return true
  return await once(pipe, 'drain', { signal }).then(
    () => true,
    () => false,
  )
}

/** ffmpeg failed. The message is for logs: it may name paths. */
export class FfmpegError extends Error {
  override readonly name = 'FfmpegError' as const
  /** Exit code; `undefined` when a signal ended ffmpeg or it never started. */
  readonly exitCode: number | undefined
  /** Signal that ended ffmpeg, for example `SIGSEGV`. */
  readonly exitSignal: string | undefined
  /** End of ffmpeg's standard error. */
  readonly stderr: string

  constructor(exit: { readonly code?: number | null; readonly signal?: string | null }, stderr: string) {
    super(`ffmpeg ended with ${exit.signal ?? `exit code ${exit.code}`}: ${withoutTags(stderr).trim()}`)
    this.exitCode = exit.code ?? undefined
    this.exitSignal = exit.signal ?? undefined
    this.stderr = stderr
  }
}

/** Leaves out the tags of a file, which are of its owner: ffmpeg indents them. The first line may be the end of one. */
function withoutTags(messages: string): string {
  const whole = Buffer.byteLength(messages) < STDERR_BYTES ? messages : messages.slice(messages.indexOf('\n') + 1)
  return whole.replaceAll(/^ {4}.*\n?/gm, '')
}

/** ffmpeg was ended because its own work took too long. */
export class FfmpegTimeoutError extends Error {
  override readonly name = 'FfmpegTimeoutError' as const

  /** @param timeoutSeconds The limit that was passed. */
  constructor(timeoutSeconds: number) {
    super(`ffmpeg was ended after ${timeoutSeconds} s of its own time`)
  }
}

/** A shorter rest of the budget is none. */
const LEAST_MS = 10

/**
 * Counts the program's own working time: its reader waits for it, and it does not wait for input. Neither a slow reader
 * nor a slow producer uses up the time limit of a healthy program.
 */
export class BusyClock {
  #left: number
  readonly #onSpent: () => void
  readonly #share: () => number
  #readerWaits = false
  #awaitsInput = false
  #since = 0
  #timer: NodeJS.Timeout | undefined

  /**
   * @param budget Milliseconds until the one call of `onSpent`.
   * @param share Tells the share of the time since its last call, or since the start, that the program was given. The
   * rest does not count: other programs used the processors. @default all of the time
   */
  constructor(budget: number, onSpent: () => void, share: () => number = () => 1) {
    this.#left = budget
    this.#onSpent = onSpent
    this.#share = share
  }

  /** Whether a reader waits for the program's output or end. */
  set readerWaits(waits: boolean) {
    this.#readerWaits = waits
    this.#update()
  }

  /** Whether the program has received all input so far and more will come. */
  set awaitsInput(awaits: boolean) {
    this.#awaitsInput = awaits
    this.#update()
  }

  /** Stops the clock for good. */
  stop(): void {
    this.#readerWaits = false
    this.#update()
  }

  #end(): void {
    const left = (performance.now() - this.#since) * (1 - this.#share())
    this.#timer = undefined
    if (left < LEAST_MS) return this.#onSpent()
    this.#left = left
    this.#update()
  }

  #update(): void {
    const runs = this.#readerWaits && !this.#awaitsInput
    if (runs && this.#timer === undefined) {
      this.#since = performance.now()
      this.#timer = setTimeout(() => this.#end(), this.#left)
    } else if (!runs && this.#timer !== undefined) {
      clearTimeout(this.#timer)
      this.#timer = undefined
      this.#left = Math.max(0, this.#left - (performance.now() - this.#since))
    }
  }
}

/** Waits until a child process has ended and been reaped. Never rejects. Call it before any other `await`. */
export function childExit(child: ChildProcess): Promise<ChildExit> {
  if (child.exitCode !== null || child.signalCode !== null)
    return Promise.resolve({ code: child.exitCode, signal: child.signalCode })
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
    // The listener stays, because `kill` and others report through this event too.
    child.on('error', (error) => {
      if (child.pid === undefined) resolve({ code: null, signal: null, error })
    })
  })
}

/** Kills a child and closes its pipes, which a helper process of the child could hold open. */
export function killWithPipes(child: ChildProcessWithoutNullStreams): void {
  child.kill('SIGKILL')
  for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy()
}

/** Stored end of standard error, in bytes. */
const STDERR_BYTES = 4096

/** Longest line that is passed on, in characters. Tags of a file can be of any length. */
const MAX_LINE = 1000

/** Stores the end of a child's standard error, and passes its lines on. */
export class Messages {
  #end = Buffer.alloc(0)
  readonly #closed: Promise<unknown>
  #take: ((line: string | undefined) => void) | undefined
  #noteArrival: (() => void) | undefined
  /** The beginning of a line whose end has not come yet. */
  #line = ''

  constructor({ stderr }: ChildProcessWithoutNullStreams) {
    stderr.on('data', (chunk: Buffer) => {
      this.#end = Buffer.concat([this.#end, chunk]).subarray(-STDERR_BYTES)
      this.#pass(chunk)
      this.#noteArrival?.()
    })
    this.#closed = new Promise((resolve) => void stderr.once('close', resolve))
    void this.#closed.then(() => this.#take?.(undefined))
  }

  /** Resolves when the messages end with a line, or standard error is closed. */
  async until(line: string): Promise<void> {
    const arrived = new Promise<void>((resolve) => {
      this.#noteArrival = () => {
        if (this.#end.toString().endsWith(`${line}\n`)) resolve()
      }
      this.#noteArrival()
    })
    await Promise.race([arrived, this.#closed])
    this.#noteArrival = undefined
  }

  /** Passes on each line from now on, then `undefined`. */
  follow(take: (line: string | undefined) => void): void {
    this.#take = take
    this.#line = ''
  }

  #pass(chunk: Buffer): void {
    if (this.#take === undefined) return
    const [first = '', ...lines] = chunk.toString().split('\n')
    this.#line = (this.#line + first).slice(0, MAX_LINE)
    for (const next of lines) {
      this.#take(this.#line)
      this.#line = next.slice(0, MAX_LINE)
    }
  }

  /** Forgets the messages so far. */
  clear(): void {
    this.#end = Buffer.alloc(0)
  }

  /** Waits until standard error is closed. */
  async read(): Promise<string> {
    await this.#closed
    return this.#end.toString()
  }
}
