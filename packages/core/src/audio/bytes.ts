/** A view of the same bytes. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Whether these ASCII characters stand at an offset. */
export function hasAscii(bytes: Uint8Array, offset: number, text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    if (bytes[offset + index] !== text.charCodeAt(index)) return false
  }
  return true
}

/** Bytes of a leading ID3v2 tag, 0 when there is none. The size is in four bytes of seven bits (id3.org, ID3v2.4 §3.1). */
export function id3Bytes(file: Uint8Array): number {
  if (file.byteLength < 10 || !hasAscii(file, 0, 'ID3')) return 0
  const view = viewOf(file)
  const size = [6, 7, 8, 9].reduce((sum, offset) => sum * 128 + (view.getUint8(offset) & 0x7f), 0)
  const footer = (view.getUint8(5) & 0x10) === 0 ? 0 : 10
  return 10 + size + footer
}
