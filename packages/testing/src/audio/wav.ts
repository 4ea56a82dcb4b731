/** Layout of the upstream's PCM: signed 16-bit little-endian, one channel. */
export const PCM_FORMAT = {
  /** Samples per second. */
  sampleRate: 24_000,
  /** Samples of the same moment. */
  channels: 1,
  /** Bits of a sample. */
  bitDepth: 16,
} as const

/**
 * A WAV file with true sizes: a header of 44 bytes, then the samples.
 * @param pcm Samples in {@link PCM_FORMAT}, or a number of silent bytes.
 */
export function wavFile(pcm: Uint8Array | number): Buffer {
  const samples = typeof pcm === 'number' ? Buffer.alloc(pcm) : pcm
  return Buffer.concat([wavHeader(samples.byteLength), samples])
}

/** The header of a WAV file with this many bytes of samples. */
export function wavHeader(dataBytes: number): Buffer {
  const { sampleRate, channels, bitDepth } = PCM_FORMAT
  const frameBytes = (channels * bitDepth) / 8
  const header = Buffer.alloc(44)
  header.write('RIFF', 0, 'latin1')
  header.writeUInt32LE(36 + dataBytes, 4)
  header.write('WAVEfmt ', 8, 'latin1')
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(channels, 22)
  header.writeUInt32LE(sampleRate, 24)
  header.writeUInt32LE(sampleRate * frameBytes, 28)
  header.writeUInt16LE(frameBytes, 32)
  header.writeUInt16LE(bitDepth, 34)
  header.write('data', 36, 'latin1')
  header.writeUInt32LE(dataBytes, 40)
  return header
}
