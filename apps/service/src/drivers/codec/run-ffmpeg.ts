import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import type { Writable } from 'node:stream'

import { cancellableSource } from '../../domain/cancellable.ts'
import { BusyClock } from './busy-clock.ts'
import { childExit } from './child-exit.ts'
import { FfmpegError, FfmpegTimeoutError } from './ffmpeg-error.ts'

/** Stored end of standard error, in bytes. */
const STDERR_BYTES = 4096

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
 * ffmpeg waits. When the generator ends, for any reason, the process has ended too.
 *
 * @throws FfmpegError when ffmpeg fails, FfmpegTimeoutError when it takes too long, the error of `input`, or the
 * signal's reason. A program that cannot be started throws the system's error.
 */
export async function* runFfmpeg(
  child: ChildProcessWithoutNullStreams,
  options: RunOptions,
): AsyncGenerator<Uint8Array> {
  const run = new FfmpegRun(child, options)
  try {
    yield* run.output()
    await run.succeed()
  } finally {
    await run.end()
  }
}

class FfmpegRun {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #signal: AbortSignal
  readonly #exit: ReturnType<typeof childExit>
  readonly #clock: BusyClock
  /** Aborts with the error to throw, as soon as the run cannot succeed any more. */
  readonly #stop = new AbortController()
  readonly #abort = (): void => this.#fail(this.#signal.reason)
  readonly #stderrClosed: Promise<unknown>
  #stderr = Buffer.alloc(0)
  #readError: unknown

  constructor(child: ChildProcessWithoutNullStreams, { input, inTurn, signal, timeoutSeconds }: RunOptions) {
    this.#child = child
    this.#signal = signal
    this.#exit = childExit(child)
    this.#clock = new BusyClock(timeoutSeconds * 1000, () => this.#fail(new FfmpegTimeoutError(timeoutSeconds)))
    child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr = Buffer.concat([this.#stderr, chunk]).subarray(-STDERR_BYTES)
    })
    this.#stderrClosed = new Promise((resolve) => void child.stderr.once('close', resolve))
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
    const { code, signal, error } = await this.#exit
    if (error === undefined) await this.#stderrClosed
    this.#stop.signal.throwIfAborted()
    if (error !== undefined) throw error
    if (code !== 0) throw new FfmpegError({ code, signal }, this.#stderr.toString())
    if (this.#readError !== undefined) throw new Error('Reading from ffmpeg failed', { cause: this.#readError })
  }

  /** Ends a running process and frees everything. */
  async end(): Promise<void> {
    this.#signal.removeEventListener('abort', this.#abort)
    this.#fail(new DOMException('The run has ended', 'AbortError'))
    await this.#exit
  }

  #fail(reason: unknown): void {
    this.#stop.abort(reason)
    this.#clock.stop()
    this.#child.kill('SIGKILL')
    // Does not wait for the child's end: a helper process of the child could hold the pipes open.
    for (const pipe of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) pipe.destroy()
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
