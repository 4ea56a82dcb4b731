import { crc } from './crc.ts'

const PACKET_SECONDS = 0.02
const PACKET_TICKS = 960
/** One 20 ms packet of silence: fullband CELT, mono. */
const PACKET = Buffer.from([0xf8, 0xff, 0xfe])
const CONTINUES = 0
const FIRST = 2
const LAST = 4
const PACKETS_PER_PAGE = 50

/** An Ogg Opus file of silence, mono, in pages of one second. */
export function opusSilence(durationSeconds: number): Buffer {
  const packets = Math.max(1, Math.ceil(durationSeconds / PACKET_SECONDS))
  const pages = [page(0, FIRST, 0, [opusHead()]), page(1, CONTINUES, 0, [opusTags()])]
  for (let done = 0; done < packets;) {
    const count = Math.min(PACKETS_PER_PAGE, packets - done)
    done += count
    const kind = done === packets ? LAST : CONTINUES
    const audio = Array.from({ length: count }, () => PACKET)
    pages.push(page(pages.length, kind, done * PACKET_TICKS, audio))
  }
  return Buffer.concat(pages)
}

function opusHead(): Buffer {
  const head = Buffer.alloc(19)
  head.write('OpusHead', 0, 'latin1')
  head.writeUInt8(1, 8)
  head.writeUInt8(1, 9)
  head.writeUInt32LE(48_000, 12)
  return head
}

function opusTags(): Buffer {
  const vendor = Buffer.from('svc-audio testing')
  const tags = Buffer.alloc(8 + 4 + vendor.byteLength + 4)
  tags.write('OpusTags', 0, 'latin1')
  tags.writeUInt32LE(vendor.byteLength, 8)
  vendor.copy(tags, 12)
  return tags
}

/** An Ogg page. Every packet here is shorter than 255 bytes and fits one segment. */
function page(sequence: number, kind: number, ticks: number, packets: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(27 + packets.length)
  head.write('OggS', 0, 'latin1')
  head.writeUInt8(kind, 5)
  head.writeBigUInt64LE(BigInt(ticks), 6)
  head.writeUInt32LE(1, 14)
  head.writeUInt32LE(sequence, 18)
  head.writeUInt8(packets.length, 26)
  for (const [index, packet] of packets.entries()) head.writeUInt8(packet.byteLength, 27 + index)
  const whole = Buffer.concat([head, ...packets])
  whole.writeUInt32LE(crc(whole, 32, 0x04_c1_1d_b7), 22)
  return whole
}
