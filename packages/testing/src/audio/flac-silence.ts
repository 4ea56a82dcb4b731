import { crc } from './crc.ts'

const BLOCK = 4096
const RATE = 24_000

/** A FLAC file of silence: 24 kHz, mono, 16 bits, in constant blocks of 4,096 samples. */
export function flacSilence(durationSeconds: number): Buffer {
  const blocks = Math.max(1, Math.ceil((durationSeconds * RATE) / BLOCK))
  const frames = Array.from({ length: blocks }, (_, index) => frame(index))
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

function frame(index: number): Buffer {
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
