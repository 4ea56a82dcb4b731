import { EngineFailedError } from '@svc-audio/engine-ports'

/** The program's header: one `fmt ` chunk, then one `data` chunk. */
const HEADER_BYTES = 44

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
  if (wav.length < HEADER_BYTES || wav.toString('latin1', 0, 4) !== 'RIFF' || wav.toString('latin1', 36, 40) !== 'data')
    throw new EngineFailedError('espeak-ng wrote no WAV')
  const [channels, bitDepth] = [wav.readUInt16LE(22), wav.readUInt16LE(34)]
  if (channels !== 1 || bitDepth !== 16)
    throw new EngineFailedError(`espeak-ng wrote ${channels} channels with ${bitDepth} bits, not 1 with 16`)
  const end = wav.length - ((wav.length - HEADER_BYTES) % 2)
  return { pcm: wav.subarray(HEADER_BYTES, end), sampleRate: wav.readUInt32LE(24) }
}
