import { expect, test } from 'vitest'
import { mp3Seconds } from './mp3.ts'

/** A frame header: MPEG-1, Layer III, 128 kbit/s, 44.1 kHz, stereo; 417 bytes, 1152 samples. */
const STEREO = 0xff_fb_90_00
/** MPEG-2, 64 kbit/s, 16 kHz, mono; 288 bytes, 576 samples. */
const MONO = 0xff_f3_88_c4

function frame(header: number, bytes: number): Uint8Array<ArrayBuffer> {
  const data = new Uint8Array(bytes)
  new DataView(data.buffer).setUint32(0, header)
  return data
}

/** A first frame with an Info header: no audio, but what the encoder added. */
function infoFrame(delay: number, padding: number, flags: number): Uint8Array {
  const data = frame(STEREO, 417)
  const info = 36
  data.set(new TextEncoder().encode('Info'), info)
  data[info + 7] = flags
  const lame = info + 8 + (flags & 1 ? 4 : 0) + (flags & 2 ? 4 : 0) + (flags & 4 ? 100 : 0) + (flags & 8 ? 4 : 0)
  data.set(new TextEncoder().encode('LAME3.100'), lame)
  data.set([delay >> 4, ((delay & 15) << 4) | (padding >> 8), padding & 255], lame + 21)
  return data
}

const concat = (...parts: Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts))

test('frames are counted, of MPEG-1 and of MPEG-2', () => {
  expect(mp3Seconds(concat(...Array<Uint8Array>(10).fill(frame(STEREO, 417))))).toBe((10 * 1152) / 44_100)
  expect(mp3Seconds(concat(...Array<Uint8Array>(10).fill(frame(MONO, 288))))).toBe((10 * 576) / 16_000)
})

test('a variable bit rate and padding make no difference', () => {
  const low = frame(0xff_fb_50_00, 208) // 64 kbit/s
  const padded = frame(0xff_fb_92_00, 418)
  expect(mp3Seconds(concat(low, padded, low, padded))).toBe((4 * 1152) / 44_100)
})

test.each([0b1111, 0b0001, 0b0000])('what the encoder added is taken off, with the fields %i', (flags) => {
  const file = concat(infoFrame(576, 1000, flags), ...Array<Uint8Array>(5).fill(frame(STEREO, 417)))
  expect(mp3Seconds(file)).toBe((5 * 1152 - 576 - 1000) / 44_100)
})

test('tags at both ends and junk between frames are no audio', () => {
  const id3 = concat(new TextEncoder().encode('ID3\u0004\u0000\u0000\u0000\u0000\u0001\u0000'), new Uint8Array(128))
  const id3v1 = concat(new TextEncoder().encode('TAG'), frame(STEREO, 125))
  const file = concat(id3, frame(STEREO, 417), new Uint8Array(7), frame(STEREO, 417), id3v1)
  expect(mp3Seconds(file)).toBe((2 * 1152) / 44_100)
})

test('half a frame at the end does not count', () => {
  expect(mp3Seconds(concat(frame(STEREO, 417), frame(STEREO, 300)))).toBe(1152 / 44_100)
})

test.each([
  ['nothing', new Uint8Array()],
  ['text', new TextEncoder().encode('<p>Sign in</p>'.repeat(50))],
  ['half a frame', frame(STEREO, 300)],
  ['a reserved version', frame(0xff_eb_90_00, 417)],
  ['a free bit rate', frame(0xff_fb_00_00, 417)],
  ['a forbidden bit rate', frame(0xff_fb_f0_00, 417)],
  ['a reserved sample rate', frame(0xff_fb_9c_00, 417)],
  ['Layer II', frame(0xff_fd_90_00, 417)],
])('%s has no length', (_, file) => {
  expect(mp3Seconds(file)).toBeUndefined()
})
