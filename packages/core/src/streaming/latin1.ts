const decoder = new TextDecoder('latin1')

/** ASCII bytes as a string. Bytes over 127 have no meaning here. */
export function asciiString(bytes: Uint8Array): string {
  // Buffer is the fast way where it exists; the view copies nothing.
  if (typeof Buffer === 'function')
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  return decoder.decode(bytes)
}
