const SEGMENTS = 255

/** Row of Ogg's checksum: the polynomial 0x04c11db7, not reflected. */
const CHECKSUMS = Uint32Array.from({ length: 256 }, (_, byte) => {
  let row = byte << 24
  for (let bit = 0; bit < 8; bit += 1) row = row < 0 ? (row << 1) ^ 0x04c1_1db7 : row << 1
  return row
})

function checksum(page: Uint8Array): number {
  let sum = 0
  for (const byte of page) sum = (sum << 8) ^ (CHECKSUMS[((sum >>> 24) ^ byte) & 0xff] ?? 0)
  return sum >>> 0
}

function makePage(number: number, continued: boolean, lacing: readonly number[], body: Uint8Array): Buffer {
  const head = Buffer.alloc(27 + lacing.length)
  head.write('OggS', 0, 'latin1')
  head.writeUInt8((continued ? 1 : 0) | (number === 0 ? 2 : 0), 5)
  head.writeUInt32LE(number, 18)
  head.writeUInt8(lacing.length, 26)
  head.set(lacing, 27)
  const whole = Buffer.concat([head, body])
  whole.writeUInt32LE(checksum(whole), 22)
  return whole
}

/** An Ogg file of these packets. Each of the first two starts a page, as header packets do. */
export function oggPages(packets: readonly Uint8Array[]): Buffer {
  const pages: Buffer[] = []
  let [lacing, parts, continued]: [number[], Uint8Array[], boolean] = [[], [], false]
  const flush = (goesOn: boolean): void => {
    if (lacing.length > 0) pages.push(makePage(pages.length, continued, lacing, Buffer.concat(parts)))
    ;[lacing, parts, continued] = [[], [], goesOn]
  }
  for (const [index, packet] of packets.entries()) {
    for (let at = 0; at <= packet.byteLength; at += 255) {
      if (lacing.length === SEGMENTS) flush(at > 0)
      const part = packet.subarray(at, at + 255)
      lacing.push(part.byteLength)
      parts.push(part)
    }
    if (index < 2) flush(false)
  }
  flush(false)
  return Buffer.concat(pages)
}
