import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import type { Writable } from 'node:stream'

import { cancellableSource } from '../../domain/cancellable.ts'
import { BusyClock } from './busy-clock.ts'
import { childExit } from './child-exit.ts'
import { FfmpegError, FfmpegTimeoutError } from './ffmpeg-error.ts'

/** How much of standard error is stored, in bytes. */
const STDERR_BYTES = 4096

/** How one run of ffmpeg is fed and stopped. */
export interface RunOptions {
  /** What goes to standard input; nothing when left out. */
  readonly input?: AsyncIterable<Uint8Array>
  readonly signal: AbortSignal
  /** How long ffmpeg may take over its own work, in seconds; waiting for the reader or for input does not count. */
  readonly timeoutSeconds: number
}

/**
 * Yields what a running ffmpeg writes to standard output, as it comes. The reader sets the pace: while it does not
 * read, the pipes fill up and ffmpeg waits. When the generator ends, in whatever way, the process has ended too.
 *
 * @throws FfmpegError when it ends with an error, FfmpegTimeoutError when it takes too long, what `input` throws, or
 *   the signal's reason. A program that cannot be started throws the system's error.
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
  /** Aborts, with what is to be thrown, as soon as the run cannot succeed any more. */
  readonly #stop = new AbortController()
  readonly #abort = (): void => this.#fail(this.#signal.reason)
  readonly #stderrClosed: Promise<unknown>
  #stderr = Buffer.alloc(0)
  #readError: unknown

  constructor(child: ChildProcessWithoutNullStreams, { input, signal, timeoutSeconds }: RunOptions) {
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
    else void this.#feed(input)
  }

  /** What comes out, until standard output ends. */
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

  /** Waits for the end. @throws whatever made the run fail. */
  async succeed(): Promise<void> {
    const { code, signal, error } = await this.#exit
    if (error === undefined) await this.#stderrClosed
    this.#stop.signal.throwIfAborted()
    if (error !== undefined) throw error
    if (code !== 0) throw new FfmpegError({ code, signal }, this.#stderr.toString())
    if (this.#readError !== undefined) throw new Error('Reading from ffmpeg failed', { cause: this.#readError })
  }

  /** Ends the process, if it still runs, and frees everything. */
  async end(): Promise<void> {
    this.#signal.removeEventListener('abort', this.#abort)
    this.#fail(new DOMException('The run is over', 'AbortError'))
    await this.#exit
  }

  #fail(reason: unknown): void {
    this.#stop.abort(reason)
    this.#clock.stop()
    this.#child.kill('SIGKILL')
    // Not left to the child's end: a helper it started could hold the pipes open.
    for (const pipe of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) pipe.destroy()
  }

  async #feed(input: AsyncIterable<Uint8Array>): Promise<void> {
    const { stdin } = this.#child
    try {
      this.#clock.awaitsInput = true
      for await (const chunk of cancellableSource(input, this.#stop.signal)) {
        this.#clock.awaitsInput = false
        if (!(await offer(stdin, chunk, this.#stop.signal))) return
        this.#clock.awaitsInput = true
      }
      this.#clock.awaitsInput = false
      stdin.end()
    } catch (error) {
      this.#fail(error)
    }
  }
}

/** Writes at the reader's pace. Resolves to false when nobody reads any more; the exit code will tell why. */
async function offer(pipe: Writable, chunk: Uint8Array, signal: AbortSignal): Promise<boolean> {
  if (!pipe.writable) return false
  if (pipe.write(chunk)) return true
  return await once(pipe, 'drain', { signal }).then(
    () => true,
    () => false,
  )
}
