/**
 * Returns the same bytes in the fastest type of this runtime, without a copy. `indexOf` of a `Buffer` is memchr, about
 * 12 times faster than that of a plain typed array.
 */
export function nativeView(bytes: Uint8Array): Uint8Array {
  if (typeof Buffer !== 'function' || Buffer.isBuffer(bytes)) return bytes
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
