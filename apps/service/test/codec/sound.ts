import type { PcmFormat } from '@svc-audio/core/audio'

/** Pitch of the test tones, in Hz: not a harmonic of any codec's block length. */
export const TONE_HZ = 660

/** Mono 16-bit PCM at a common rate of speech engines. */
export const SPEECH_PCM: PcmFormat = { sampleRate: 22_050, channels: 1, bitDepth: 16 }

/** A tone of {@link TONE_HZ} with a little deterministic noise, in the given 16-bit format. */
export function tone(seconds: number, format: PcmFormat = SPEECH_PCM): Buffer {
  const { sampleRate, channels } = format
  const frames = Math.round(seconds * sampleRate)
  const pcm = Buffer.alloc(frames * channels * 2)
  for (let frame = 0; frame < frames; frame += 1) {
    const noise = ((frame * 7919) % 401) - 200
    const sample = Math.round(9000 * Math.sin((2 * Math.PI * TONE_HZ * frame) / sampleRate)) + noise
    for (let channel = 0; channel < channels; channel += 1) pcm.writeInt16LE(sample, (frame * channels + channel) * 2)
  }
  return pcm
}

/** The strongest frequency from 100 to 2000 Hz in the middle quarter second of 16 kHz mono PCM, to 10 Hz. */
export function dominantFrequency(pcm: Buffer): number {
  const length = 4000
  const start = Math.max(0, Math.floor(pcm.byteLength / 4 - length / 2))
  let best = { frequency: 0, power: 0 }
  for (let frequency = 100; frequency <= 2000; frequency += 10) {
    let real = 0
    let imaginary = 0
    for (let index = 0; index < length && (start + index) * 2 + 2 <= pcm.byteLength; index += 1) {
      const sample = pcm.readInt16LE((start + index) * 2)
      const angle = (2 * Math.PI * frequency * index) / 16_000
      real += sample * Math.cos(angle)
      imaginary += sample * Math.sin(angle)
    }
    const power = real * real + imaginary * imaginary
    if (power > best.power) best = { frequency, power }
  }
  return best.frequency
}

/** Length of decoded sound (16 kHz mono 16-bit), in seconds. */
export function decodedSeconds(pcm: Buffer): number {
  return pcm.byteLength / 32_000
}

/** The bytes in pieces of `size`. A reader may rely only on their order. */
export async function* pieces(bytes: Uint8Array, size = 4411): AsyncGenerator<Uint8Array> {
  for (let offset = 0; offset < bytes.byteLength; offset += size) yield bytes.subarray(offset, offset + size)
}

/** All items of an iterable. */
export async function gather<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

/** The whole output of an iterable, in one buffer. */
export async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await gather(chunks))
}
