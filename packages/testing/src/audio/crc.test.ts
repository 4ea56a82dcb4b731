import { expect, test } from 'vitest'
import { crc } from './crc.ts'

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
