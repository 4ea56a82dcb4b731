/** How the upstream's PCM is laid out: signed 16-bit little-endian, one channel. */
export const PCM_FORMAT = { sampleRate: 24_000, channels: 1, bitDepth: 16 } as const

/**
 * A tone as raw PCM in {@link PCM_FORMAT}, the same in every run.
 * @param durationSeconds Length.
 * @param hertz Pitch. @default 440
 */
export function tone(durationSeconds: number, hertz = 440): Buffer {
  const frames = Math.round(durationSeconds * PCM_FORMAT.sampleRate)
  const pcm = Buffer.alloc(frames * 2)
  for (let frame = 0; frame < frames; frame += 1) {
    const phase = (2 * Math.PI * hertz * frame) / PCM_FORMAT.sampleRate
    pcm.writeInt16LE(Math.round(8000 * Math.sin(phase)), frame * 2)
  }
  return pcm
}

/** A WAV file of a {@link tone}, with true sizes. */
export function toneWav(durationSeconds: number, hertz = 440): Buffer {
  const pcm = tone(durationSeconds, hertz)
  const { sampleRate, channels, bitDepth } = PCM_FORMAT
  const frameBytes = (channels * bitDepth) / 8
  const header = Buffer.alloc(44)
  header.write('RIFF', 0, 'latin1')
  header.writeUInt32LE(36 + pcm.byteLength, 4)
  header.write('WAVEfmt ', 8, 'latin1')
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(channels, 22)
  header.writeUInt32LE(sampleRate, 24)
  header.writeUInt32LE(sampleRate * frameBytes, 28)
  header.writeUInt16LE(frameBytes, 32)
  header.writeUInt16LE(bitDepth, 34)
  header.write('data', 36, 'latin1')
  header.writeUInt32LE(pcm.byteLength, 40)
  return Buffer.concat([header, pcm])
}
