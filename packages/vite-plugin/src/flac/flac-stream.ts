import type { PcmEncoder } from '../audio/wav-encoder.ts'
import type { PcmLayout } from '../join/pcm.ts'
import { FlacEncoder, type FlacFrame } from './flac-encoder.ts'

/** FLAC in one pass: without the length, the sum and the seek table that a file has. */
export async function openFlacStream(layout: PcmLayout): Promise<PcmEncoder> {
  const encoder = await FlacEncoder.open(layout)
  return {
    head: () => encoder.head,
    encode: (samples) => bytesOf(encoder.encode(samples)),
    end: () => bytesOf(encoder.end().frames),
    close: () => encoder.close(),
  }
}

function bytesOf(frames: readonly FlacFrame[]): Uint8Array {
  return Buffer.concat(frames.map(({ bytes }) => bytes))
}
