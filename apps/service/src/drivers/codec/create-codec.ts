import { availableParallelism } from 'node:os'

import type { FairSemaphore } from '../../domain/fair-semaphore.ts'
import type { AudioFormat } from '../../domain/formats.ts'
import type { Codec } from '../../ports/codec.ts'
import { ENCODERS } from './arguments.ts'
import { chooseLauncher } from './choose-launcher.ts'
import { FfmpegCodec } from './ffmpeg-codec.ts'
import type { Launcher } from './launcher.ts'

const DEFAULT_TIMEOUT_SECONDS = 600

const DEFAULT_AUDIO_SECONDS = 24 * 60 * 60

/** Longest time of a timer, in seconds: 24 days. */
const MAX_TIMEOUT_SECONDS = 2_147_483

/** Options of {@link createCodec}. */
interface CodecOptions {
  /**
   * The ffmpeg to run: a program's path; `wasm` for the optional package `@ffmpeg/core`; or `auto` for the program on
   * PATH and, without one, the package. @default 'auto'
   */
  readonly ffmpegPath?: 'auto' | 'wasm' | (string & {})
  /**
   * Working time of one ffmpeg before it is killed, in seconds. Waits for a slow reader or for more input do not count.
   * @default 600
   */
  readonly timeoutSeconds?: number
  /**
   * Encoders of one tenant that may run at once; others queue. @default the number of cores
   */
  readonly maxProcesses?: number
  /** Encoders of all tenants that may run at once. @default one more than `maxProcesses` */
  readonly maxEncoders?: number
  /** Most bytes of one tenant that wait to be sent, four times that of all tenants. @default no limit */
  readonly unsentBytesPerTenant?: number
  /** Decoders that may run at once. @default `maxProcesses` */
  readonly maxDecoders?: number
  /**
   * Longest audio to decode, in seconds. A file of a few megabytes can hold years of silence.
   * @default 86400, a day
   */
  readonly maxAudioSeconds?: number
}

/** What the codec uses, for logs and diagnostics. */
interface CodecDescription {
  /** `none`: found neither an ffmpeg program nor the package. */
  readonly launcher: Launcher['kind'] | 'none'
  /** The program or package, and its version. */
  readonly program?: string
  readonly version?: string
  /** Formats that this codec writes. */
  readonly formats: readonly AudioFormat[]
  /** Whether the codec reads files. */
  readonly decodes: boolean
  /** Memory limit of one ffmpeg, in bytes; left out where this machine does not limit it. */
  readonly memoryBytes?: number
}

/**
 * Makes the best codec for this machine. Every codec writes `wav` and `pcm`.
 *
 * @throws CodecUnavailableError when `ffmpegPath` names an ffmpeg that does not work; `auto` never throws.
 * @throws RangeError when a number is out of range.
 */
export async function createCodec(
  options: CodecOptions = {},
): Promise<Codec & { readonly describe: CodecDescription; readonly encoders: FairSemaphore }> {
  const { timeoutSeconds = DEFAULT_TIMEOUT_SECONDS, maxProcesses = availableParallelism() } = options
  if (!(timeoutSeconds > 0 && timeoutSeconds <= MAX_TIMEOUT_SECONDS))
    throw new RangeError(`timeoutSeconds must be above 0 and at most ${MAX_TIMEOUT_SECONDS}, not ${timeoutSeconds}`)
  if (!Number.isInteger(maxProcesses) || maxProcesses < 1)
    throw new RangeError(`maxProcesses must be a positive integer, not ${maxProcesses}`)
  const { maxAudioSeconds = DEFAULT_AUDIO_SECONDS } = options
  if (!(maxAudioSeconds > 0)) throw new RangeError(`maxAudioSeconds must be above 0, not ${maxAudioSeconds}`)
  const launcher = await chooseLauncher(options.ffmpegPath ?? 'auto')
  const codec = new FfmpegCodec({
    launcher,
    timeoutSeconds,
    maxProcesses,
    maxEncoders: options.maxEncoders,
    maxDecoders: options.maxDecoders,
    maxAudioSeconds,
    unsentBytesPerTenant: options.unsentBytesPerTenant,
  })
  return Object.assign(codec, { describe: describeCodec(launcher) })
}

function describeCodec(launcher: Launcher | undefined): CodecDescription {
  if (launcher === undefined) return { launcher: 'none', formats: ['wav', 'pcm'], decodes: false }
  const { kind, program, version, encoders, memoryBytes } = launcher
  const compressed = (['mp3', 'opus', 'flac', 'aac'] as const).filter((format) => encoders.has(ENCODERS[format]))
  return {
    launcher: kind,
    program,
    version,
    formats: [...compressed, 'wav', 'pcm'],
    decodes: true,
    ...(memoryBytes !== undefined && { memoryBytes }),
  }
}
