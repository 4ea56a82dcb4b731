import { readWav } from '@svc-audio/core/audio'
import { FLITE_FORMAT } from './pcm.ts'
import { resample } from './resample.ts'
import { EngineFailedError } from '@svc-audio/engine-ports'
import { speechSpan, trimEdges } from './speech-edges.ts'
import { OUTPUT_FILE, type WasiCommand } from './wasi-command.ts'

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
