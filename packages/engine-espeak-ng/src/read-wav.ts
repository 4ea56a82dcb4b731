import { readWavHead } from '@svc-audio/core/streaming'
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
export function readWav(wav: Buffer<ArrayBuffer>): Sound {
  const head = readWavHead(wav)
  if (head === undefined) throw new EngineFailedError('espeak-ng wrote no WAV')
  const { channels, bitDepth, sampleRate } = head.format
  if (channels !== 1 || bitDepth !== 16)
    throw new EngineFailedError(`espeak-ng wrote ${channels} channels with ${bitDepth} bits, not 1 with 16`)
  const end = wav.length - ((wav.length - head.samplesAt) % 2)
  return { pcm: wav.subarray(head.samplesAt, end), sampleRate }
}
