import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { Socket } from 'node:net'
import { Writable } from 'node:stream'

import { lowerPriority } from '@svc-audio/engine-ports/driver'
import { childExit, type ChildExit } from './child-exit.ts'
import { type FfmpegProcess, killWithPipes, Messages } from './ffmpeg-process.ts'
import type { LaunchRequest } from './launcher.ts'
import { encodeRequest } from './wasm-request.ts'
import { END_FRAME, frameHeader, FrameReader } from './wasm-frames.ts'

const SUCCESS: ChildExit = { code: 0, signal: null }

/** A child process with ffmpeg's WebAssembly build, which may stay loaded from one run to the next. */
export class LoadedFfmpeg {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #exit: Promise<ChildExit>
  readonly #messages: Messages
  readonly #frames: FrameReader
  #used = false
  #killed = false
  #nice: number | undefined
  #lowered = false
  #inputEnded = false
  #dismissal: NodeJS.Timeout | undefined

  /** @param child Has just been started. */
  constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child
    this.#exit = childExit(child)
    this.#messages = new Messages(child)
    this.#frames = new FrameReader(child.stdout)
  }

  /** Whether it has had a run: its memory may hold audio. */
  get used(): boolean {
    return this.#used
  }

  get alive(): boolean {
    const { pid, exitCode, signalCode } = this.#child
    return !this.#killed && pid !== undefined && exitCode === null && signalCode === null
  }

  /**
   * Starts a run.
   * @param keep Called after a success. Returns whether the process stays loaded; else it is killed.
   */
  run(request: LaunchRequest, keep: () => boolean): FfmpegProcess {
    clearTimeout(this.#dismissal)
    this.#hold(true)
    const young = !this.#used
    this.#used = true
    this.#messages.clear()
    this.#child.stdin.write(encodeRequest(request))
    const stdin = this.#openInput()
    let succeeded = false
    const ended = Promise.withResolvers<ChildExit>()
    void this.#exit.then((exit) => ended.resolve(succeeded ? SUCCESS : failure(exit)))
    const onSuccess = (): void => {
      succeeded = true
      // A process with a lower priority cannot raise it again. More input would be read as the next request.
      if (!this.#lowered && this.#inputEnded && keep()) ended.resolve(SUCCESS)
      else this.kill()
    }
    return {
      pid: this.#child.pid,
      young,
      stdin,
      stdout: this.#output(onSuccess),
      exit: ended.promise,
      readMessages: () => this.#messages.read(),
      lowerPriority: (nice) => this.#lowerPriority(nice),
      kill: () => {
        if (!succeeded) this.kill()
      },
    }
  }

  /** Lets the process idle until the next run, for that time at most. It does not keep this process alive. */
  rest(lifetimeMs: number): void {
    this.#hold(false)
    this.#dismissal = setTimeout(() => this.kill(), lifetimeMs).unref()
  }

  kill(): void {
    this.#killed = true
    clearTimeout(this.#dismissal)
    killWithPipes(this.#child)
  }

  /** Kills the process, and waits for its end. */
  async close(): Promise<void> {
    this.#hold(true)
    this.kill()
    await this.#exit
  }

  #openInput(): Writable {
    this.#inputEnded = false
    const { stdin } = this.#child
    const send = (bytes: Uint8Array, sent: (error?: Error | null) => void): void => {
      stdin.write(bytes, sent)
    }
    const input = new Writable({
      write: (chunk: Buffer, _encoding, sent) => {
        if (chunk.byteLength === 0) return sent()
        stdin.write(frameHeader(chunk.byteLength))
        send(chunk, sent)
      },
      final: (sent) => {
        this.#inputEnded = true
        send(END_FRAME, sent)
      },
    })
    // The exit of the process tells why it no longer reads.
    return input.on('error', () => undefined)
  }

  async *#output(onSuccess: () => void): AsyncGenerator<Buffer> {
    for (;;) {
      const piece = await this.#frames.read()
      if (piece === 'end') onSuccess()
      if (piece === undefined || piece === 'end') return
      yield piece
    }
  }

  #lowerPriority(nice: number): void {
    if (nice === this.#nice) return
    this.#lowered = this.#nice !== undefined
    this.#nice = nice
    lowerPriority(this.#child.pid, nice)
  }

  /** Sets whether the child and its pipes keep this process alive. */
  #hold(held: boolean): void {
    const { stdin, stdout, stderr } = this.#child
    for (const handle of [this.#child, stdin, stdout, stderr]) {
      if (handle === this.#child || handle instanceof Socket) {
        if (held) handle.ref()
        else handle.unref()
      }
    }
  }
}

/** An exit before the end of the run is a failure, whatever the exit code. */
function failure(exit: ChildExit): ChildExit {
  return exit.code === 0 ? { ...exit, error: new Error('ffmpeg exited before the end of its run') } : exit
}
