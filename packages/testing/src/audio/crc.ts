/**
 * A cyclic redundancy check as in FLAC and Ogg: most significant bit first, starting from 0.
 * @param bits Width: 8, 16 or 32.
 */
export function crc(bytes: Uint8Array, bits: number, polynomial: number): number {
  const top = 2 ** (bits - 1)
  const mask = 2 ** bits - 1
  let value = 0
  for (const byte of bytes) {
    value = (value ^ (byte * 2 ** (bits - 8))) >>> 0
    for (let bit = 0; bit < 8; bit += 1) {
      const carry = value >= top
      value = ((value << 1) & mask) >>> 0
      if (carry) value = (value ^ polynomial) >>> 0
    }
  }
  return value
}
