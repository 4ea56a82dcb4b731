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

/** Longest time a timer can hold, in seconds: 24 days. */
const MAX_TIMEOUT_SECONDS = 2_147_483

/** How audio is encoded and decoded. */
interface CodecOptions {
  /**
   * Which ffmpeg runs: a program's path, `wasm` for the optional package `@ffmpeg/core`, or `auto` for the one on PATH
   * and, failing that, the package. @default 'auto'
   */
  readonly ffmpegPath?: 'auto' | 'wasm' | (string & {})
  /**
   * How long one ffmpeg may work, in seconds, before it is killed. Time in which it waits, for a slow reader or for
   * more to encode, does not count. @default 600
   */
  readonly timeoutSeconds?: number
  /**
   * How many decoders, and how many encoders of one tenant, may run at once; others wait in turn. Encoders have one
   * place more in all, so that one tenant cannot hold every place. @default the number of cores
   */
  readonly maxProcesses?: number
  /**
   * The longest audio that is decoded, in seconds. A file of a few megabytes can hold years of silence.
   * @default 86400, a day
   */
  readonly maxAudioSeconds?: number
}

/** What a codec works with, for logs and diagnostics. */
interface CodecDescription {
  /** `none`: neither an ffmpeg program nor the package was found. */
  readonly launcher: Launcher['kind'] | 'none'
  /** The program or package that runs, and its version. */
  readonly program?: string
  readonly version?: string
  /** The formats that can be written here. */
  readonly formats: readonly AudioFormat[]
  /** Whether files can be read here. */
  readonly decodes: boolean
  /** What one ffmpeg may take up, in bytes; left out where this machine does not limit it. */
  readonly memoryBytes?: number
}

/**
 * Makes the codec that this machine allows for. `wav` and `pcm` can always be written.
 *
 * @throws CodecUnavailableError when `ffmpegPath` names one that does not work; `auto` never throws.
 * @throws RangeError when a number is out of range.
 */
export async function createCodec(
  options: CodecOptions = {},
): Promise<Codec & { readonly describe: CodecDescription; readonly encoders: FairSemaphore }> {
  const { timeoutSeconds = DEFAULT_TIMEOUT_SECONDS, maxProcesses = availableParallelism() } = options
  if (!(timeoutSeconds > 0 && timeoutSeconds <= MAX_TIMEOUT_SECONDS))
    throw new RangeError(`timeoutSeconds ${timeoutSeconds} is not above 0 and at most ${MAX_TIMEOUT_SECONDS}`)
  if (!Number.isInteger(maxProcesses) || maxProcesses < 1)
    throw new RangeError(`maxProcesses ${maxProcesses} is not a positive integer`)
  const { maxAudioSeconds = DEFAULT_AUDIO_SECONDS } = options
  if (!(maxAudioSeconds > 0)) throw new RangeError(`maxAudioSeconds ${maxAudioSeconds} is not above 0`)
  const launcher = await chooseLauncher(options.ffmpegPath ?? 'auto')
  const codec = new FfmpegCodec({ launcher, timeoutSeconds, maxProcesses, maxAudioSeconds })
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
