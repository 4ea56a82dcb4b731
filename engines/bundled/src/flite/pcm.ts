import { frameBytes, type PcmFormat } from '@svc-audio/core/audio'

/** The format of every voice here: 16 kHz, one channel, signed 16-bit little-endian. */
export const FLITE_FORMAT: PcmFormat = { sampleRate: 16_000, channels: 1, bitDepth: 16 }

/** Bytes of one frame of {@link FLITE_FORMAT}, and of every format with one channel and 16 bits. */
export const FRAME_BYTES: number = frameBytes(FLITE_FORMAT)

/** Largest chunk: about a quarter of a second, so that a stream flows evenly. */
const CHUNK_BYTES = 8192

/** Rounds a length in seconds to whole frames; 0 for a negative length. @param sampleRate @default that of flite */
export function secondsToFrames(seconds: number, sampleRate: number = FLITE_FORMAT.sampleRate): number {
  return Math.max(0, Math.round(seconds * sampleRate))
}

/** Cuts PCM into chunks of at most 8,192 bytes. They share the memory of `pcm`. */
export function* splitPcm(pcm: Uint8Array): Generator<Uint8Array, undefined> {
  for (let at = 0; at < pcm.length; at += CHUNK_BYTES) yield pcm.subarray(at, at + CHUNK_BYTES)
}

/** Yields digital silence of that many frames, in chunks of at most 8,192 bytes. */
export function* silence(frames: number): Generator<Uint8Array, undefined> {
  for (let left = frames * FRAME_BYTES; left > 0; left -= CHUNK_BYTES) yield new Uint8Array(Math.min(left, CHUNK_BYTES))
}
