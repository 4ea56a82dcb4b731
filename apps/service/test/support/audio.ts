/** Chunks of a RIFF file by id. */
export function riffChunks(file: Uint8Array): Map<string, Uint8Array> {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const chunks = new Map<string, Uint8Array>()
  const decoder = new TextDecoder('latin1')
  for (let offset = 12; offset + 8 <= file.byteLength;) {
    const size = view.getUint32(offset + 4, true)
    chunks.set(decoder.decode(file.subarray(offset, offset + 4)), file.subarray(offset + 8, offset + 8 + size))
    offset += 8 + size + (size % 2)
  }
  return chunks
}

/** The size that a RIFF header claims for the whole file. */
export function riffSize(file: Uint8Array): number {
  return new DataView(file.buffer, file.byteOffset, file.byteLength).getUint32(4, true) + 8
}
