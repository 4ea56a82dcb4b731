import { open } from 'node:fs/promises'
import { wavHeader } from '@svc-audio/core/adapter'

const HEADER_BYTES = 44
/** Bytes a second of the service's WAV: 16 kHz, one channel, 16 bits. */
const BYTES_A_SECOND = 32_000

/** Length of a WAV file of the service, in seconds. */
export function secondsOf(wav: Uint8Array): number {
  return (wav.length - HEADER_BYTES) / BYTES_A_SECOND
}

/** A silent WAV file. */
export function silentWav(seconds: number): Uint8Array<ArrayBuffer> {
  const bytes = seconds * BYTES_A_SECOND
  const wav = new Uint8Array(HEADER_BYTES + bytes)
  wav.set(wavHeader({ sampleRate: 16_000, channels: 1, bitDepth: 16 }, bytes))
  return wav
}

/** The header of a long recording of `size` bytes in all. */
export function headerOf(size: number): Uint8Array {
  return wavHeader({ sampleRate: 48_000, channels: 2, bitDepth: 16 }, size - HEADER_BYTES)
}

/**
 * Makes a WAV file of silence, `size` bytes in all. The silence is a hole in the file: it takes no disk space and reads
 * as fast as memory.
 */
export async function makeWavFile(path: string, size: number): Promise<void> {
  const file = await open(path, 'wx')
  try {
    await file.write(headerOf(size))
    await file.truncate(size)
  } finally {
    await file.close()
  }
}
