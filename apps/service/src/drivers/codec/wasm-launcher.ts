import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { lowerPriority } from '@svc-audio/engine-ports/driver'
import { ENCODERS } from './arguments.ts'
import { childExit, type ChildExit, type FfmpegProcess, killWithPipes, Messages } from './ffmpeg-process.ts'
import { type Launcher, type LaunchRequest, spawnPiped } from './launcher.ts'
import { MAX_MEMORY_BYTES } from './limits.ts'
import { encodeRequest, END_FRAME, END_OF_MESSAGES, frameHeader, FrameReader, WASM_INPUT_PATH } from './wasm-frames.ts'

/** The optional package with ffmpeg's WebAssembly build. */
export const WASM_PACKAGE = '@ffmpeg/core'

/** The child's program. It stands beside this file, compiled or not. */
const PROGRAM = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './wasm-ffmpeg.ts' : './wasm-ffmpeg.js', import.meta.url),
)

/**
 * Node's arguments for the child. JavaScript needs little memory; ffmpeg has its own, at most {@link MAX_MEMORY_BYTES}.
 * The child may read files, but may not write files or start programs. ffmpeg's own code sees the input file only.
 */
const NODE_ARGUMENTS = ['--max-old-space-size=256', '--permission', '--allow-fs-read=*', '--no-warnings', PROGRAM]

/** Delay before a spare process replaces a used one, in milliseconds. The used one gets the processor first. */
const REFILL_DELAY_MS = 500

/** Idle time before a process exits, in milliseconds. */
const IDLE_LIFETIME_MS = 60_000

/** Options of {@link findWasmFfmpeg}. */
export interface WasmFfmpegOptions {
  /**
   * Time that processes stay loaded after the start and after each use, in milliseconds. A loaded encoder saves a
   * quarter of a second of processor time per request. It takes up to 225 MB of memory. Idle processes do not keep this
   * one alive. 0 disables it: each run has a process of its own.
   * @default 60000
   */
  readonly idleLifetime?: number
}

/**
 * Finds the optional package {@link WASM_PACKAGE}. Never loads it into this process.
 * @returns `undefined` when it is not installed.
 */
export function findWasmFfmpeg({ idleLifetime = IDLE_LIFETIME_MS }: WasmFfmpegOptions = {}): Launcher | undefined {
  try {
    const binary = createRequire(import.meta.url).resolve(`${WASM_PACKAGE}/wasm`)
    return new WasmLauncher(readVersion(binary), idleLifetime)
  } catch {
    return undefined
  }
}

function readVersion(binary: string): string {
  const manifest: unknown = JSON.parse(readFileSync(join(dirname(binary), '../../package.json'), 'utf8'))
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : ''
}

/**
 * Encoders stay loaded: they read nothing but samples and settings of the service. Each decoder has a new process, since
 * a file that takes its decoder over must not hear the audio of others.
 */
class WasmLauncher implements Launcher {
  readonly kind = 'wasm'
  readonly program: string = WASM_PACKAGE
  readonly version: string
  readonly encoders: ReadonlySet<string> = new Set(Object.values(ENCODERS))
  readonly memoryBytes: number = MAX_MEMORY_BYTES
  readonly #idleLifetime: number
  /** Idle processes; the one that was used last stands last. Their number is at most that of encoders at once, and one. */
  #idle: LoadedFfmpeg[] = []
  #refill: NodeJS.Timeout | undefined
  #closed = false

  constructor(version: string, idleLifetime: number) {
    this.version = version
    this.#idleLifetime = idleLifetime
    this.#fill()
  }

  inputUrl(): string {
    return `file:${WASM_INPUT_PATH}`
  }

  launch(request: LaunchRequest): FfmpegProcess {
    const decodes = request.inputFile !== undefined
    const loaded = this.#take(decodes) ?? new LoadedFfmpeg(startChild())
    if (decodes) this.#refill ??= setTimeout(() => this.#fill(), REFILL_DELAY_MS).unref()
    return loaded.run(request, () => !decodes && this.#keep(loaded))
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#refill)
    await Promise.all(this.#idle.splice(0).map((loaded) => loaded.close()))
  }

  /** Takes an idle process, for a decoder one that has not been used. */
  #take(decodes: boolean): LoadedFfmpeg | undefined {
    this.#idle = this.#idle.filter(({ alive }) => alive)
    const taken = (decodes ? undefined : this.#idle.findLast(({ used }) => used)) ?? this.#spare()
    if (taken !== undefined) this.#idle.splice(this.#idle.indexOf(taken), 1)
    return taken
  }

  #spare(): LoadedFfmpeg | undefined {
    return this.#idle.find(({ alive, used }) => alive && !used)
  }

  #keep(loaded: LoadedFfmpeg): boolean {
    if (this.#idleLifetime === 0 || this.#closed) return false
    this.#idle.push(loaded)
    loaded.rest(this.#idleLifetime)
    return true
  }

  /** A failed start of a spare process is ignored: a later start may succeed. */
  #fill(): void {
    this.#refill = undefined
    if (this.#spare() !== undefined) return
    try {
      if (this.#idleLifetime > 0 && !this.#closed) this.#keep(new LoadedFfmpeg(startChild()))
    } catch {
      // too many open files
    }
  }
}

function startChild(): ChildProcessWithoutNullStreams {
  return spawnPiped(process.execPath, NODE_ARGUMENTS)
}

const SUCCESS: ChildExit = { code: 0, signal: null }

/** A child process with ffmpeg's WebAssembly build, which may stay loaded from one run to the next. */
class LoadedFfmpeg {
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
      onMessage: (take) => this.#messages.follow(take),
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
      if (piece === 'end') {
        await this.#messages.until(END_OF_MESSAGES)
        onSuccess()
      }
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
