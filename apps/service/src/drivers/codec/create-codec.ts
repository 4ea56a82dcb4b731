import { availableParallelism } from 'node:os'
import { CodecUnavailableError } from '@svc-audio/engine-ports'
import { describeFault, integer } from '#options'
import { ENCODERS } from './arguments.ts'
import { FfmpegCodec, type FfmpegCodecOptions, REMEDY } from './ffmpeg-codec.ts'
import type { CodecDescription, Launcher } from './launcher.ts'
import { findSystemFfmpeg } from './system-launcher.ts'
import { findWasmFfmpeg, WASM_PACKAGE } from './wasm-launcher.ts'

const DEFAULT_TIMEOUT_SECONDS = 600

const DEFAULT_AUDIO_SECONDS = 24 * 60 * 60

/** Longest time of a timer, in seconds: 24 days. */
const MAX_TIMEOUT_SECONDS = 2_147_483

/**
 * Options of {@link createCodec}. By default, ffmpeg works for 600 s, a tenant has as many encoders as the machine has
 * cores, and audio is a day long at most.
 */
interface CodecOptions extends Partial<Omit<FfmpegCodecOptions, 'launcher'>> {
  /**
   * The ffmpeg to run: a program's path; `wasm` for the optional package `@ffmpeg/core`; or `auto` for the program on
   * PATH and, without one, the package. @default 'auto'
   */
  readonly ffmpegPath?: 'auto' | 'wasm' | (string & {})
  /** Called when `auto` finds an ffmpeg on PATH that was not there at the start. */
  readonly onChange?: (description: CodecDescription) => void
}

/**
 * Makes the best codec for this machine. Every codec writes `wav` and `pcm`.
 *
 * @throws CodecUnavailableError when `ffmpegPath` names an ffmpeg that does not work; `auto` never throws.
 * @throws RangeError when a number is out of range.
 */
export async function createCodec(options: CodecOptions = {}): Promise<FfmpegCodec> {
  const { timeoutSeconds = DEFAULT_TIMEOUT_SECONDS, maxProcesses = availableParallelism() } = options
  if (!(timeoutSeconds > 0 && timeoutSeconds <= MAX_TIMEOUT_SECONDS))
    throw new RangeError(`\`timeoutSeconds\` must be above 0 and at most ${MAX_TIMEOUT_SECONDS}, got ${timeoutSeconds}`)
  const fault = describeFault('maxProcesses', integer(1), maxProcesses)
  if (fault !== undefined) throw new RangeError(fault)
  const { maxAudioSeconds = DEFAULT_AUDIO_SECONDS } = options
  if (!(maxAudioSeconds > 0)) throw new RangeError(`\`maxAudioSeconds\` must be above 0, got ${maxAudioSeconds}`)
  const { ffmpegPath = 'auto', onChange = () => undefined, ...limits } = options
  const launcher = await chooseLauncher(ffmpegPath)
  const codec = new FfmpegCodec({ ...limits, launcher, timeoutSeconds, maxProcesses, maxAudioSeconds })
  if (ffmpegPath === 'auto') codec.follow(findCompleteFfmpeg, onChange)
  return codec
}

/**
 * Finds an ffmpeg. `auto` prefers the system's program, which is the fastest. If that program lacks a needed encoder,
 * `auto` prefers the WebAssembly build, which has every encoder.
 *
 * @param choice `auto`, `wasm`, or the path of a program.
 * @returns `undefined` when `auto` finds nothing.
 * @throws CodecUnavailableError when the chosen one is missing or does not work.
 */
async function chooseLauncher(choice: string): Promise<Launcher | undefined> {
  if (choice === 'wasm') {
    const wasm = findWasmFfmpeg()
    if (wasm === undefined) throw new CodecUnavailableError(`${WASM_PACKAGE} is not installed: ${REMEDY}`)
    return wasm
  }
  const system = await findSystemFfmpeg(choice === 'auto' ? 'ffmpeg' : choice)
  if (choice !== 'auto') {
    if (system === undefined) throw new CodecUnavailableError(`${choice} is not a working ffmpeg: ${REMEDY}`)
    return system
  }
  return system !== undefined && isComplete(system) ? system : (findWasmFfmpeg() ?? system)
}

/** Finds the program on PATH, if it has every encoder that is needed. */
async function findCompleteFfmpeg(): Promise<Launcher | undefined> {
  const system = await findSystemFfmpeg('ffmpeg')
  return system !== undefined && isComplete(system) ? system : undefined
}

function isComplete(launcher: Launcher): boolean {
  return Object.values(ENCODERS).every((encoder) => launcher.encoders.has(encoder))
}
