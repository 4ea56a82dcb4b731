import { once } from 'node:events'
import type { Writable } from 'node:stream'

import { cancellableSource, ScheduledTime } from '@svc-audio/engine-ports/driver'
import { BusyClock } from './busy-clock.ts'
import { FfmpegError, FfmpegTimeoutError } from './ffmpeg-error.ts'
import type { FfmpegProcess } from './ffmpeg-process.ts'

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
