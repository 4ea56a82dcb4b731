import { open } from 'node:fs/promises'
import { resolve } from 'node:path'

import { frameBytes, pcmFormatFault } from '@svc-audio/core/adapter'

import {
  type Codec,
  CodecUnavailableError,
  type DecodeOptions,
  type EncodeOptions,
  ENCODING_COST,
  RECOGNITION_SAMPLE_RATE,
  type Turns,
  UndecodableAudioError,
} from '@svc-audio/engine-ports'
import { cancellable, cancellableSource, DEFAULT_PRIORITIES, type Priorities } from '@svc-audio/engine-ports/driver'
import { FairSemaphore, Semaphore } from '../../domain/fair-semaphore.ts'
import { type CompressedFormat, decodeArguments, ENCODERS, encodeArguments, type WrittenFormat } from './arguments.ts'
import { FfmpegError, type FfmpegProcess, FfmpegTimeoutError, runFfmpeg, type RunOptions } from './ffmpeg-process.ts'
import { liveFlacFile, liveWavFile } from './live-files.ts'
import { flacFile, PcmMeter, wavFile } from './stored-files.ts'
import { type CodecDescription, describeCodec, type Launcher, type LaunchRequest } from './launcher.ts'
import { CANNOT_LOAD } from './wasm-frames.ts'
import { WASM_PACKAGE } from './wasm-launcher.ts'
import { BufferBudget, readThroughDisk } from './disk-buffer.ts'
import { decodeFile, type RunDecoder } from './decode-file.ts'
import { readFileForm } from './file-forms.ts'
import type { InputReport } from './input-report.ts'

/**
 * Largest marking, in bytes of UTF-8. It must fit ffmpeg's output buffer (32 KB): ffmpeg writes the size before an ID3
 * tag last, and cannot change a buffer that a pipe has taken. A real marking has some hundreds.
 */
const MAX_AIGC_BYTES = 16 * 1024

/** Format of decoded audio: signed 16-bit PCM, one channel. */
const BYTES_PER_SECOND = 2 * RECOGNITION_SAMPLE_RATE

/** Length of a long recording, in seconds. The decoding of its rest runs at a lower priority. */
const LONG_SECONDS = 60

/** The operator's remedy for a missing ffmpeg. */
export const REMEDY: string = `install ffmpeg so that it is on PATH, or the optional npm package ${WASM_PACKAGE}`

/** Time between two looks for an ffmpeg that was installed later. */
const LOOK_MS = 60_000

/** Input, turns and priority of one run of ffmpeg. */
interface ProcessOptions extends Pick<RunOptions, 'input' | 'signal'> {
  /** Passes the input on in turns. Their cost is its bytes. Background work lowers the priority, for good. */
  readonly turns?: Turns | undefined
  /** Output after which the priority is lower. @default no limit */
  readonly longBytes?: number
  /** Receives ffmpeg's messages. @default nobody */
  readonly report?: InputReport
}

/** A codec's launcher and limits. */
export interface FfmpegCodecOptions {
  /** Without a launcher the codec writes only `wav` and `pcm`, and reads nothing. */
  readonly launcher: Launcher | undefined
  /**
   * Working time of one ffmpeg before it is killed, in seconds. Waits for a slow reader or for more input do not count.
   */
  readonly timeoutSeconds: number
  /** Encoders of one tenant that may run at once; others queue. */
  readonly maxProcesses: number
  /**
   * Encoders of all tenants that may run at once: more than `maxProcesses`, so that one tenant cannot hold them all.
   * @default one more than `maxProcesses`
   */
  readonly maxEncoders?: number | undefined
  /** Maximum bytes per tenant that wait to be sent, four times that of all tenants. @default no limit */
  readonly unsentBytesPerTenant?: number | undefined
  /** Decoders that may run at once. @default `maxProcesses` */
  readonly maxDecoders?: number | undefined
  /** Longest audio to decode, in seconds. A file of a few megabytes can hold years of silence. */
  readonly maxAudioSeconds: number
  /** Nice values of ffmpeg. @default 5 and 15 */
  readonly priorities?: Priorities | undefined
  /** Returns whether the decoding of the rest of a long recording must step back. @default it must */
  readonly othersWait?: (() => boolean) | undefined
}

/** The codec: the project's own code for `pcm` and `wav`, ffmpeg as a child process for the rest. */
export class FfmpegCodec implements Codec {
  #launcher: Launcher | undefined
  readonly #timeoutSeconds: number
  readonly #maxAudioSeconds: number
  readonly #priorities: Priorities
  readonly #othersWait: () => boolean
  /**
   * Slots of encoders, shared fairly between tenants. One tenant cannot hold them all. Decoders have a separate queue:
   * a decoder lives as long as its recognizer reads, and speech must not wait for that.
   */
  readonly encoders: FairSemaphore
  readonly #decoders: Semaphore
  readonly #unsent: BufferBudget
  readonly #closing = new AbortController()
  readonly #children = new Set<FfmpegProcess>()
  #looking: NodeJS.Timeout | undefined

  constructor(options: FfmpegCodecOptions) {
    const { launcher, timeoutSeconds, maxProcesses, maxAudioSeconds } = options
    const { maxEncoders = maxProcesses + 1, maxDecoders = maxProcesses } = options
    this.#launcher = launcher
    this.#unsent = new BufferBudget({ bytesPerTenant: options.unsentBytesPerTenant ?? Infinity })
    this.#timeoutSeconds = timeoutSeconds
    this.#maxAudioSeconds = maxAudioSeconds
    this.#priorities = options.priorities ?? DEFAULT_PRIORITIES
    this.#othersWait = options.othersWait ?? (() => true)
    this.encoders = new FairSemaphore(maxEncoders, { perTenant: maxProcesses })
    this.#decoders = new Semaphore(maxDecoders)
  }

  /** What it uses now. */
  get describe(): CodecDescription {
    return describeCodec(this.#launcher)
  }

  /**
   * Looks for a better launcher every minute, until there is one: an operator may install ffmpeg later.
   * @param onChange Called after the change. Work in flight ends with the earlier launcher.
   */
  follow(find: () => Promise<Launcher | undefined>, onChange: (description: CodecDescription) => void): void {
    if (this.#launcher?.kind === 'system') return
    this.#looking = setTimeout(() => void this.#look(find, onChange), LOOK_MS).unref()
  }

  async #look(...given: Parameters<FfmpegCodec['follow']>): Promise<void> {
    const [find, onChange] = given
    const found = await find()
    if (this.#closing.signal.aborted) return
    if (found === undefined) return this.follow(...given)
    const earlier = this.#launcher
    this.#launcher = found
    onChange(this.describe)
    await earlier?.close()
  }

  encode(chunks: AsyncIterable<Uint8Array>, options: EncodeOptions): AsyncIterable<Uint8Array> {
    return cancellable([options.signal, this.#closing.signal], (signal) => this.#encode(chunks, { ...options, signal }))
  }

  decode(path: string, options: DecodeOptions = {}): AsyncIterable<Uint8Array> {
    return cancellable([options.signal, this.#closing.signal], (signal) => this.#decode(path, options, signal))
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('The codec is closed'))
    clearTimeout(this.#looking)
    await Promise.all([this.#launcher?.close(), ...Array.from(this.#children, ({ exit }) => exit)])
  }

  async *#encode(
    chunks: AsyncIterable<Uint8Array>,
    options: EncodeOptions & { readonly signal: AbortSignal },
  ): AsyncGenerator<Uint8Array> {
    const source = chunks[Symbol.asyncIterator]()
    try {
      yield* this.#encodeAs(cancellableSource({ [Symbol.asyncIterator]: () => source }, options.signal), options)
    } finally {
      // Also cancels audio that was never read: otherwise its producer would wait for ever.
      source.return?.().catch(() => undefined)
    }
  }

  #encodeAs(
    pcm: AsyncIterable<Uint8Array>,
    options: EncodeOptions & { readonly signal: AbortSignal },
  ): AsyncIterable<Uint8Array> {
    const { format, signal, aigc, tenant = '' } = options
    const share = this.#unsent.of(tenant)
    checkOptions(options)
    const { sampleRate = options.pcm.sampleRate } = options
    if (format === 'pcm' && sampleRate === options.pcm.sampleRate) return pcm
    if (format === 'wav') {
      return options.live === true
        ? liveWavFile(pcm, { format: options.pcm, aigc })
        : wavFile(pcm, { format: options.pcm, aigc, signal, share })
    }
    const launcher = format === 'pcm' ? this.#needLauncher() : this.#needLauncher(format)
    if (format !== 'flac') return this.#compress(launcher, pcm, { ...options, format })
    const meter = new PcmMeter(options.pcm)
    const encoded = this.#compress(launcher, meter.measure(pcm), { ...options, format })
    return options.live === true ? liveFlacFile(encoded, { meter }) : flacFile(encoded, { meter, signal, share })
  }

  /** The encoder writes to a buffer. A slow reader therefore does not hold the encoder's slot. */
  #compress(
    launcher: Launcher,
    input: AsyncIterable<Uint8Array>,
    options: EncodeOptions & { readonly format: WrittenFormat; readonly signal: AbortSignal },
  ): AsyncIterable<Uint8Array> {
    const { format, pcm, aigc, tenant = '', turns } = options
    const bytesPerSecond = pcm.sampleRate * frameBytes(pcm)
    const byBytes: Turns | undefined =
      turns && ((bytes, stop, work) => turns((ENCODING_COST * bytes) / bytesPerSecond, stop, work))
    const request = { args: encodeArguments(format, pcm, aigc, options.sampleRate) }
    return readThroughDisk(
      (write, signal) =>
        this.encoders.use(tenant, signal, async () => {
          for await (const chunk of this.#run(launcher, request, { input, turns: byBytes, signal })) await write(chunk)
        }),
      options.signal,
      this.#unsent.of(tenant),
    )
  }

  async *#decode(path: string, { onEnd }: DecodeOptions, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const launcher = this.#needLauncher()
    const inputFile = resolve(path)
    if ((await readableSize(inputFile)) === 0) throw new UndecodableAudioError('The file is empty.')
    const form = await readFileForm(inputFile)
    const inputUrl = launcher.inputUrl(inputFile)
    let release: (() => void) | undefined
    try {
      release = await this.#decoders.acquire(signal)
      const run: RunDecoder = ({ track, report }) => {
        const request = { args: decodeArguments(inputUrl, { track, raw: form.raw }), inputFile }
        return this.#run(launcher, request, { longBytes: LONG_SECONDS * BYTES_PER_SECOND, report, signal })
      }
      yield* decodeFile(run, { inputUrl, form, onEnd, maxSeconds: this.#maxAudioSeconds })
    } catch (error) {
      throw translateDecodeError(error)
    } finally {
      release?.()
    }
  }

  async *#run(
    launcher: Launcher,
    request: LaunchRequest,
    { turns, longBytes = Infinity, report, ...options }: ProcessOptions,
  ): AsyncGenerator<Uint8Array> {
    try {
      const child = launcher.launch(request)
      if (report !== undefined) child.onMessage((line) => report.read(line))
      child.lowerPriority(this.#priorities.engine)
      void this.#watch(child)
      let behind = false
      const stepBehind = (): void => {
        if (!behind) child.lowerPriority(this.#priorities.background)
        behind = true
      }
      const inTurn: RunOptions['inTurn'] =
        turns &&
        ((bytes, stop, work) =>
          turns(bytes, stop, ({ background }) => {
            if (background) stepBehind()
            return work()
          }))
      let bytes = 0
      for await (const chunk of runFfmpeg(child, { ...options, inTurn, timeoutSeconds: this.#timeoutSeconds })) {
        bytes += chunk.byteLength
        if (bytes > longBytes && this.#othersWait()) stepBehind()
        yield chunk
      }
    } catch (error) {
      throw translateStartError(error)
    }
  }

  async #watch(child: FfmpegProcess): Promise<void> {
    this.#children.add(child)
    await child.exit
    this.#children.delete(child)
  }

  /** @throws CodecUnavailableError when there is no ffmpeg, or no ffmpeg that can write `format`. */
  #needLauncher(format?: CompressedFormat): Launcher {
    const launcher = this.#launcher
    if (launcher === undefined) throw new CodecUnavailableError(`No ffmpeg found: ${REMEDY}`)
    if (format !== undefined && !launcher.encoders.has(ENCODERS[format]))
      throw new CodecUnavailableError(`${launcher.program} has no encoder ${ENCODERS[format]}: ${REMEDY}`)
    return launcher
  }
}

/** A file that cannot be opened is a fault of the service: it throws the system's error. */
async function readableSize(path: string): Promise<number> {
  const file = await open(path)
  try {
    return (await file.stat()).size
  } finally {
    await file.close()
  }
}

function checkOptions({ pcm, aigc }: EncodeOptions): void {
  const fault = pcmFormatFault(pcm)
  if (fault !== undefined) throw new RangeError(fault)
  if (aigc === undefined) return
  if (aigc.includes('\0')) throw new RangeError('An AIGC marking must not contain NUL')
  if (Buffer.byteLength(aigc) > MAX_AIGC_BYTES)
    throw new RangeError(`An AIGC marking has at most ${MAX_AIGC_BYTES} bytes`)
}

/** Exit codes of the shell for a program that is missing or cannot run. */
const CANNOT_RUN = new Set<number | undefined>([126, 127])

/** Maps errors of a vanished ffmpeg to {@link CodecUnavailableError}. Returns other errors unchanged. */
export function translateStartError(error: unknown): unknown {
  if (error instanceof FfmpegError && error.exitCode === CANNOT_LOAD)
    return new CodecUnavailableError(`${WASM_PACKAGE} does not load: ${REMEDY}`, { cause: error })
  if (isMissingProgram(error) || (error instanceof FfmpegError && CANNOT_RUN.has(error.exitCode)))
    return new CodecUnavailableError(`ffmpeg no longer starts: ${REMEDY}`, { cause: error })
  return error
}

/** Only errors of the start count: the producer of the audio may miss a file too. */
function isMissingProgram(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error)) return false
  return String(error.syscall).startsWith('spawn') && (error.code === 'ENOENT' || error.code === 'EACCES')
}

/** Signals from outside: a kill, and those that a terminal sends to all its programs. */
const OUTSIDE = new Set<string | undefined>(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'])

/** What ffmpeg says when a signal has ended it. */
const SIGNALLED = /^Exiting normally, received signal \d/m

/** What ffmpeg says about a file without an audio stream. */
const NO_SOUND = /^(?! {4}).*(?:matches no streams|does not contain any stream)/m

/**
 * Maps errors that the file causes to {@link UndecodableAudioError}: ffmpeg refuses the file, crashes on it or never
 * finishes it. A kill from outside (the system short of memory, an operator) is not the file's fault.
 */
export function translateDecodeError(error: unknown): unknown {
  if (error instanceof FfmpegTimeoutError || (error instanceof FfmpegError && error.exitSignal === 'SIGXCPU'))
    return new UndecodableAudioError('Decoding the audio takes too long.', { cause: error })
  if (!(error instanceof FfmpegError)) return error
  if (OUTSIDE.has(error.exitSignal) || SIGNALLED.test(error.stderr)) return error
  const silent = NO_SOUND.test(error.stderr)
  const message = silent
    ? 'The file has no audio stream.'
    : 'The file is not audio of a supported format, or is corrupt.'
  return new UndecodableAudioError(message, { cause: error })
}
