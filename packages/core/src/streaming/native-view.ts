/**
 * The same bytes in the type that this runtime searches and reads fastest. Where `Buffer` exists its `indexOf` is
 * memchr, about twelve times faster than that of a plain typed array. Nothing is copied.
 */
export function nativeView(bytes: Uint8Array): Uint8Array {
  if (typeof Buffer !== 'function' || Buffer.isBuffer(bytes)) return bytes
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
