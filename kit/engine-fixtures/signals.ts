import { RECOGNITION_SAMPLE_RATE } from '@svc-audio/engine-ports'

/** Samples of a signal, a function of time in seconds with values from -1 to 1. Louder values are clipped. */
export function signal(seconds: number, value: (second: number) => number): Int16Array<ArrayBuffer> {
  const samples = new Int16Array(Math.round(seconds * RECOGNITION_SAMPLE_RATE))
  for (let index = 0; index < samples.length; index += 1) {
    const clipped = Math.min(Math.max(value(index / RECOGNITION_SAMPLE_RATE), -1), 1)
    samples[index] = Math.round(clipped * 32_767)
  }
  return samples
}

/** A sine, from -1 to 1. */
export function sine(hertz: number, second: number): number {
  return Math.sin(2 * Math.PI * hertz * second)
}

/** White noise, from -1 to 1, identical for the same seed. */
export function whiteNoise(seed = 1): () => number {
  let state = seed
  return () => {
    // xorshift32
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 31 - 1
  }
}

/** Pieces of audio in a row, with this much digital silence between them. */
export function joined(pieces: readonly Int16Array[], pauseSeconds = 0): Int16Array<ArrayBuffer> {
  const pause = new Int16Array(Math.round(pauseSeconds * RECOGNITION_SAMPLE_RATE))
  const parts = pieces.flatMap((piece, index) => (index === 0 ? [piece] : [pause, piece]))
  const whole = new Int16Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** Samples as bytes, in chunks of this many. */
export async function* chunked(samples: Int16Array, chunkBytes = 4096): AsyncGenerator<Uint8Array> {
  const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.slice(at, at + chunkBytes)
}
