import { type PcmFormat, readWav } from '@svc-audio/core/audio'
import { EngineFailedError } from '@svc-audio/engine-ports'
import { OUTPUT_FILE, type WasiCommand } from './wasi-command.ts'

/** The format of every voice here: 16 kHz, one channel, signed 16-bit little-endian. */
export const FLITE_FORMAT: PcmFormat = { sampleRate: 16_000, channels: 1, bitDepth: 16 }

/** The text of one utterance, a sentence or a part of it, with its settings. */
export interface Utterance {
  /** Flite's name of the voice. */
  readonly voice: string
  /** ASCII without control characters. */
  readonly text: string
  /** Flite's `duration_stretch`: how much longer than plain the speech is. */
  readonly durationStretch: number
  /** The slowdown relative to speed 1, for this voice. */
  readonly stretch: number
  /** Flite's `int_f0_target_mean` and `int_f0_target_stddev`, in Hz. @default the voice's */
  readonly pitch?: { readonly mean: number; readonly deviation: number }
  /** Factor by which playback stretches flite's audio. @default 1 */
  readonly size?: number
}

/**
 * Speaks one utterance.
 * @param command A fresh instance of flite, which the call uses up.
 * @returns The samples in flite's format, with the silence at the edges trimmed; empty when flite speaks nothing.
 * @throws EngineFailedError when flite fails, WebAssembly.RuntimeError when it traps.
 */
export function speakUtterance(command: WasiCommand, utterance: Utterance): Int16Array<ArrayBuffer> {
  const { exitCode, stdout, stderr, output } = command.run(fliteArguments(utterance))
  if (exitCode !== 0) throw new EngineFailedError(`flite ended with code ${exitCode}: ${stderr.trim().slice(0, 500)}`)
  const span = speechSpan(stdout)
  if (span === undefined) return new Int16Array(0)
  const { stretch, size = 1 } = utterance
  const samples = trimEdges(readSamples(output), span, stretch)
  return size === 1 ? samples.slice() : resample(samples, size)
}

function fliteArguments({ voice, text, durationStretch, pitch }: Utterance): string[] {
  const features = {
    duration_stretch: durationStretch,
    int_f0_target_mean: pitch?.mean,
    int_f0_target_stddev: pitch?.deviation,
  }
  const settings = Object.entries(features).flatMap(([name, value]) =>
    value === undefined ? [] : ['--setf', `${name}=${value.toFixed(6)}`],
  )
  // `-t` must stay last: the next argument is always its text. Without it a text that begins with a dash is an option,
  // and a text without spaces the name of a file.
  return ['flite', '-psdur', '-voice', voice, ...settings, '-o', OUTPUT_FILE, '-t', text]
}

function readSamples(file: Uint8Array): Int16Array<ArrayBuffer> {
  const wav = readWav(file)
  if (wav === undefined) throw new EngineFailedError('flite wrote no audio')
  const { sampleRate, channels, bitDepth } = wav
  if (
    sampleRate !== FLITE_FORMAT.sampleRate ||
    channels !== FLITE_FORMAT.channels ||
    bitDepth !== FLITE_FORMAT.bitDepth
  )
    throw new EngineFailedError(
      `flite wrote an unexpected format: ${JSON.stringify({ sampleRate, channels, bitDepth })}`,
    )
  const bytes = new Uint8Array(wav.samples)
  return new Int16Array(bytes.buffer, 0, Math.floor(bytes.length / 2))
}

/** Start and end of the speech within the audio of an utterance, in seconds. */
interface SpeechSpan {
  readonly startSecond: number
  readonly endSecond: number
}

/** Silence around speech at speed 1, in seconds: room for soft onsets and for a voice to fade. */
const LEAD_SECONDS = 0.02
const TAIL_SECONDS = 0.06

/** Flite's name for silence among its phones. */
const SILENCE = 'pau'
const PHONE = /(\S+):(\d+(?:\.\d+)?)/g

/**
 * Parses flite's output for `-psdur`: phones with their end times, as in `pau:0.119 hh:0.212 ay:0.4 pau:0.6`. Ignores
 * silence at the edges; returns `undefined` when only silence is left. These times are more certain than the loudness
 * of the samples: a soft `h` is quieter than the noise between words of some voices.
 */
export function speechSpan(phones: string): SpeechSpan | undefined {
  const ends = Array.from(phones.matchAll(PHONE), ([, name, end]) => ({
    silent: name === SILENCE,
    endSecond: Number(end),
  }))
  const first = ends.findIndex((phone) => !phone.silent)
  const last = ends.findLast((phone) => !phone.silent)
  if (last === undefined) return undefined
  return { startSecond: ends[first - 1]?.endSecond ?? 0, endSecond: last.endSecond }
}

/**
 * Cuts the silence around speech down to a small margin. Fades the margin, so that it joins digital silence without a
 * click. Flite puts 0.1 to 0.25 s before each utterance, which would delay the first sound of a stream.
 * @param samples The utterance. Its margins change in place.
 * @param stretch Slowdown of the speech relative to speed 1. The margins follow it.
 */
export function trimEdges(samples: Int16Array, span: SpeechSpan, stretch: number): Int16Array {
  const start = Math.min(secondsToFrames(span.startSecond), samples.length)
  const end = Math.min(Math.max(secondsToFrames(span.endSecond), start), samples.length)
  const from = Math.max(0, start - secondsToFrames(LEAD_SECONDS * stretch))
  const to = Math.min(samples.length, end + secondsToFrames(TAIL_SECONDS * stretch))
  fade(samples.subarray(from, start), 0, 1)
  fade(samples.subarray(end, to), 1, 0)
  return samples.subarray(from, to)
}

function secondsToFrames(seconds: number): number {
  return Math.round(seconds * FLITE_FORMAT.sampleRate)
}

/** Changes the volume evenly from one factor to another over these samples, in place. */
function fade(samples: Int16Array, from: number, to: number): void {
  for (const [index, sample] of samples.entries())
    samples[index] = Math.round(sample * (from + ((to - from) * index) / samples.length))
}

/** Taps on each side of a sample: resonances stay clean, and a second of speech takes some milliseconds. */
const TAPS = 8

/**
 * Stretches samples by a factor: pitch and resonances sink by the same factor. Uses a windowed sinc. Removes
 * frequencies above half the sample rate first.
 * @param factor Length of the result relative to the original, 0.5 to 2.
 */
export function resample(samples: Int16Array, factor: number): Int16Array<ArrayBuffer> {
  const result = new Int16Array(Math.round(samples.length * factor))
  // A shorter result has room for fewer frequencies. Its taps reach over more of the original.
  const cutoff = Math.min(1, factor)
  const reach = TAPS / cutoff
  for (let index = 0; index < result.length; index += 1) {
    const center = index / factor
    let sum = 0
    for (let at = Math.max(0, Math.ceil(center - reach)); at <= center + reach && at < samples.length; at += 1) {
      const distance = at - center
      sum += (samples[at] ?? 0) * sinc(distance * cutoff) * cutoff * hann(distance / reach)
    }
    result[index] = Math.min(32_767, Math.max(-32_768, Math.round(sum)))
  }
  return result
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)
}

/** A window from -1 to 1. */
function hann(x: number): number {
  return 0.5 + 0.5 * Math.cos(Math.PI * x)
}
