import { describe, expect, test } from 'vitest'
import { aacSilence, crc, flacSilence, mp3Silence, opusSilence, SILENCE } from './silence.ts'

/** A page of an Ogg stream. */
interface Page {
  readonly kind: number
  readonly ticks: number
  readonly sequence: number
  readonly packets: readonly number[]
  readonly isIntact: boolean
}

function oggPages(file: Buffer): Page[] {
  const pages: Page[] = []
  for (let at = 0; at < file.byteLength;) {
    expect(file.toString('latin1', at, at + 4)).toBe('OggS')
    const packets = [...file.subarray(at + 27, at + 27 + file.readUInt8(at + 26))]
    const end = at + 27 + packets.length + packets.reduce((sum, bytes) => sum + bytes, 0)
    const page = Buffer.from(file.subarray(at, end))
    const check = page.readUInt32LE(22)
    page.writeUInt32LE(0, 22)
    pages.push({
      kind: page.readUInt8(5),
      ticks: Number(page.readBigUInt64LE(6)),
      sequence: page.readUInt32LE(18),
      packets,
      isIntact: crc(page, 32, 0x04_c1_1d_b7) === check,
    })
    at = end
  }
  return pages
}

describe('an Ogg Opus file of silence', () => {
  const pages = oggPages(opusSilence(2.5))

  test('has its two headers on separate pages', () => {
    expect(pages.slice(0, 2)).toMatchObject([
      { kind: 2, ticks: 0, packets: [19] },
      { kind: 0, ticks: 0, packets: [expect.any(Number)] },
    ])
    const file = opusSilence(0.1)
    expect(file.includes('OpusHead')).toBe(true)
    expect(file.includes('OpusTags')).toBe(true)
  })

  test('counts time at 48 kHz, and ends at its length', () => {
    expect(pages.slice(2).map(({ ticks }) => ticks)).toEqual([48_000, 96_000, 120_000])
    expect(pages.slice(2).map(({ packets }) => packets.length)).toEqual([50, 50, 25])
  })

  test('numbers its pages, and marks the last one', () => {
    expect(pages.map(({ sequence }) => sequence)).toEqual([0, 1, 2, 3, 4])
    expect(pages.map(({ kind }) => kind)).toEqual([2, 0, 0, 0, 4])
  })

  test('has correct checksums', () => {
    expect(pages.every(({ isIntact }) => isIntact)).toBe(true)
  })
})

describe('a FLAC file of silence', () => {
  const file = flacSilence(1)

  test('states rate, channels, bits and the number of its samples', () => {
    expect(file.toString('latin1', 0, 4)).toBe('fLaC')
    expect(file.readUInt32BE(4)).toBe(0x80_00_00_22)
    const packed = file.readBigUInt64BE(18)
    expect({
      rate: Number(packed >> 44n),
      channels: Number((packed >> 41n) & 7n) + 1,
      bits: Number((packed >> 36n) & 31n) + 1,
      samples: Number(packed & 0xf_ff_ff_ff_ffn),
    }).toEqual({ rate: 24_000, channels: 1, bits: 16, samples: 6 * 4096 })
  })

  test('has frames with correct checksums, also beyond one byte of their number', () => {
    // Frame 128 needs two bytes for its number.
    for (const bytes of [flacSilence(0.1), flacSilence(30)]) {
      let [at, frames] = [42, 0]
      while (at < bytes.byteLength) {
        expect(bytes.readUInt16BE(at)).toBe(0xff_f8)
        const head = 4 + (frames < 128 ? 1 : 2)
        expect(crc(bytes.subarray(at, at + head), 8, 0x07)).toBe(bytes.readUInt8(at + head))
        const end = at + head + 4
        expect(crc(bytes.subarray(at, end), 16, 0x80_05)).toBe(bytes.readUInt16BE(end))
        at = end + 2
        frames += 1
      }
      expect(Number(bytes.readBigUInt64BE(18) & 0xf_ff_ff_ff_ffn)).toBe(frames * 4096)
    }
  })
})

/** Counts frames of this size, which all begin with these bytes. */
function countFrames(file: Buffer, size: number, head: readonly number[]): number {
  for (let at = 0; at < file.byteLength; at += size) expect([...file.subarray(at, at + head.length)]).toEqual(head)
  return file.byteLength / size
}

test.each([
  [0, 1],
  [0.5, 20],
  [2, 77],
])('%d s of silence are %d MP3 frames', (seconds, expected) => {
  expect(countFrames(mp3Silence(seconds), 417, [0xff, 0xfb, 0x90])).toBe(expected)
})

test.each([
  [0, 1],
  [0.5, 12],
  [2, 47],
])('%d s of silence are %d ADTS frames', (seconds, expected) => {
  const file = aacSilence(seconds)
  expect(countFrames(file, 11, [0xff, 0xf1])).toBe(expected)
  // The header has the length of the frame in 13 bits.
  expect((file.readUIntBE(3, 3) >> 5) & 0x1f_ff).toBe(11)
})

test('every compressed format has silence that grows with its length', () => {
  expect(Object.keys(SILENCE).toSorted()).toEqual(['aac', 'flac', 'mp3', 'opus'])
  for (const { make } of Object.values(SILENCE)) {
    expect(make(0).byteLength).toBeGreaterThan(0)
    expect(make(10).byteLength).toBeGreaterThan(5 * make(1).byteLength)
    expect(make(1)).toEqual(make(1))
  }
})

const DIGITS = Buffer.from('123456789')

// Published check values: the CRC of the nine digits.
test.each([
  ['CRC-8', 8, 0x07, 0xf4],
  ['CRC-16/UMTS', 16, 0x80_05, 0xfe_e8],
  // Ogg's is CRC-32/CKSUM (0x765e7680) without its last inversion.
  ['the CRC of Ogg', 32, 0x04_c1_1d_b7, 0x89_a1_89_7f],
])('%s of the nine digits', (_, bits, polynomial, expected) => {
  expect(crc(DIGITS, bits, polynomial)).toBe(expected)
})

test('data followed by its own check value has a CRC of 0', () => {
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc(DIGITS, 32, 0x04_c1_1d_b7))
  expect(crc(Buffer.concat([DIGITS, check]), 32, 0x04_c1_1d_b7)).toBe(0)
})
