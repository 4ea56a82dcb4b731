/** A Matroska element with any stated length, always written in eight bytes. */
export function element(id: string, length: number, content: Uint8Array = new Uint8Array()): Buffer {
  const size = Buffer.alloc(8)
  size.writeBigUInt64BE(BigInt(length) | (1n << 56n))
  return Buffer.concat([Buffer.from(id, 'hex'), size, content])
}

/** A Matroska file of these elements. */
export function matroska(...elements: readonly Uint8Array[]): Buffer {
  const kind = element('4282', 8, Buffer.from('matroska'))
  return Buffer.concat([element('1a45dfa3', kind.byteLength, kind), element('18538067', 2 ** 50), ...elements])
}
