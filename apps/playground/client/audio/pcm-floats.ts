import { frameBytes, type PcmFormat } from '@svc-audio/core/audio'

/**
 * Converts interleaved signed little-endian PCM to one array per channel, from -1 to 1, for Web Audio.
 * @param pcm Whole frames.
 */
export function pcmToFloats(format: PcmFormat, pcm: Uint8Array): Float32Array<ArrayBuffer>[] {
  const { channels, bitDepth } = format
  const frames = Math.floor(pcm.byteLength / frameBytes(format))
  if (bitDepth === 16 && pcm.byteOffset % 2 === 0 && LITTLE_ENDIAN) return fromPcm16(channels, frames, pcm)
  const bytes = bitDepth / 8
  const view = new DataView(pcm.buffer, pcm.byteOffset, pcm.byteLength)
  return Array.from({ length: channels }, (_, channel) => {
    const samples = new Float32Array(frames)
    for (let frame = 0; frame < frames; frame += 1) {
      samples[frame] = readSample(view, (frame * channels + channel) * bytes, bytes)
    }
    return samples
  })
}

const LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1

/** The usual format, several times faster than by {@link readSample}. */
function fromPcm16(channels: number, frames: number, pcm: Uint8Array): Float32Array<ArrayBuffer>[] {
  const values = new Int16Array(pcm.buffer, pcm.byteOffset, frames * channels)
  return Array.from({ length: channels }, (_, channel) => {
    const samples = new Float32Array(frames)
    for (let frame = 0, at = channel; frame < frames; frame += 1, at += channels) {
      samples[frame] = (values[at] ?? 0) / 0x80_00
    }
    return samples
  })
}

/** Reads at most the four most significant bytes. More precision is inaudible. */
function readSample(view: DataView, offset: number, bytes: number): number {
  if (bytes === 2) return view.getInt16(offset, true) / 0x80_00
  if (bytes === 1) return view.getInt8(offset) / 0x80
  if (bytes === 3) return (view.getUint8(offset) + view.getInt16(offset + 1, true) * 0x1_00) / 0x80_00_00
  return view.getInt32(offset + bytes - 4, true) / 0x80_00_00_00
}

/** Converts samples from -1 to 1 to 16-bit little-endian PCM. Clips louder samples. */
export function floatsToPcm16(samples: Float32Array): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(samples.length * 2))
  for (const [index, sample] of samples.entries()) {
    view.setInt16(index * 2, Math.round(Math.max(-1, Math.min(1, sample)) * 0x7f_ff), true)
  }
  return new Uint8Array(view.buffer)
}

/** PCM as samples of a WAV file: 8-bit samples become unsigned, others stay as they are. */
export async function wavSamplesOf({ bitDepth }: PcmFormat, pcm: Blob): Promise<Blob> {
  if (bitDepth !== 8) return pcm
  const bytes = new Uint8Array(await pcm.arrayBuffer())
  return new Blob([bytes.map((sample) => sample ^ 0x80)])
}
