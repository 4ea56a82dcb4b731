import { readWav } from '@svc-audio/core/audio'
import { EngineFailedError } from '@svc-audio/engine-ports'

/** Sound of a sentence. */
export interface Sound {
  /** One channel, signed 16-bit little-endian. */
  readonly pcm: Uint8Array
  /** In Hz. */
  readonly sampleRate: number
}

/**
 * Reads the WAV that the program writes to a pipe. Its header has placeholders for the lengths, so the sound goes to
 * the end.
 * @throws EngineFailedError when it is no such WAV
 */
export function readSound(file: Buffer<ArrayBuffer>): Sound {
  const wav = readWav(file)
  if (wav === undefined) throw new EngineFailedError('espeak-ng wrote no WAV')
  const { channels, bitDepth, sampleRate, samples } = wav
  if (channels !== 1 || bitDepth !== 16)
    throw new EngineFailedError(`espeak-ng wrote ${channels} channels with ${bitDepth} bits, not 1 with 16`)
  return { pcm: samples.subarray(0, samples.length - (samples.length % 2)), sampleRate }
}
