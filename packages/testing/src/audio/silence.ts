/** MPEG 1 layer III, 128 kbit/s, 44.1 kHz, mono. Zeros after this header make a frame of silence. */
const MP3_HEADER = Buffer.from([0xff, 0xfb, 0x90, 0xc4])
const MP3_FRAME_BYTES = 417
const MP3_FRAME_SECONDS = 1152 / 44_100

/** MP3 frames of silence, at least of the given length. */
export function mp3Silence(durationSeconds: number): Buffer {
  const frame = Buffer.alloc(MP3_FRAME_BYTES)
  MP3_HEADER.copy(frame)
  return repeat(frame, durationSeconds / MP3_FRAME_SECONDS)
}

/** ADTS, AAC-LC, 24 kHz, mono, 11 bytes a frame: the header, one channel without a spectrum, the end. */
const AAC_FRAME = Buffer.from([0xff, 0xf1, 0x58, 0x40, 0x01, 0x7f, 0xfc, 0x00, 0x00, 0x00, 0x07])
const AAC_FRAME_SECONDS = 1024 / 24_000

/** ADTS frames of silence, at least of the given length. */
export function aacSilence(durationSeconds: number): Buffer {
  return repeat(AAC_FRAME, durationSeconds / AAC_FRAME_SECONDS)
}

/** Makers of silent files in the compressed formats, by `response_format`, each with its media type. */
export const SILENCE: Readonly<Record<string, { contentType: string; make: (durationSeconds: number) => Buffer }>> = {
  mp3: { contentType: 'audio/mpeg', make: mp3Silence },
  aac: { contentType: 'audio/aac', make: aacSilence },
  flac: { contentType: 'audio/flac', make: flacSilence },
  opus: { contentType: 'audio/ogg', make: opusSilence },
}

function repeat(frame: Buffer, times: number): Buffer {
  return Buffer.concat(Array.from({ length: Math.max(1, Math.ceil(times)) }, () => frame))
}

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

const BLOCK = 4096
const RATE = 24_000

/** A FLAC file of silence: 24 kHz, mono, 16 bits, in constant blocks of 4,096 samples. */
export function flacSilence(durationSeconds: number): Buffer {
  const blocks = Math.max(1, Math.ceil((durationSeconds * RATE) / BLOCK))
  const frames = Array.from({ length: blocks }, (_, index) => flacFrame(index))
  return Buffer.concat([Buffer.from('fLaC'), streamInfo(blocks), ...frames])
}

function streamInfo(blocks: number): Buffer {
  const info = Buffer.alloc(4 + 34)
  // The last metadata block, of type STREAMINFO, 34 bytes long.
  info.writeUInt32BE(0x80_00_00_22, 0)
  info.writeUInt16BE(BLOCK, 4)
  info.writeUInt16BE(BLOCK, 6)
  // Frame sizes are unknown (0). Rate in 20 bits, channels - 1 in 3, bits - 1 in 5, samples in 36.
  info.writeUInt32BE(((RATE << 12) | (15 << 4)) >>> 0, 14)
  info.writeUInt32BE(blocks * BLOCK, 18)
  return info
}

function flacFrame(index: number): Buffer {
  // Fixed block size, 4,096 samples (12), 24 kHz (7), mono (0), 16 bits (4).
  const head = Buffer.from([0xff, 0xf8, 0xc7, 0x08, ...codedNumber(index)])
  const body = Buffer.concat([head, Buffer.from([crc(head, 8, 0x07), 0x00, 0x00, 0x00])])
  const check = Buffer.alloc(2)
  check.writeUInt16BE(crc(body, 16, 0x80_05))
  return Buffer.concat([body, check])
}

/** A frame's number, encoded like UTF-8. */
function codedNumber(value: number): Buffer {
  return Buffer.from(String.fromCodePoint(value))
}

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
