import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HEAD_BYTES, sniff } from './sniff.ts'

const latin1 = (text: string): Uint8Array => Buffer.from(text, 'latin1')
const padded = (text: string): Uint8Array => Buffer.concat([latin1(text), Buffer.alloc(64)])

/** The first bytes of an Ogg page that carries a codec's header. */
const ogg = (codec: string): Uint8Array => padded(`OggS\0\u0002${'\0'.repeat(20)}\u0001\u0013${codec}`)
const box = (brand: string): Uint8Array => padded(`\0\0\0\u0018ftyp${brand}\0\0\0\0`)
const atom = (name: string): Uint8Array => padded(`\0\0\0\u0008${name}`)

/** Frames of one length, each beginning with a header. */
function frames(header: string, length: number, count = 2): Uint8Array {
  const frame = Buffer.alloc(length)
  frame.set(Buffer.from(header, 'hex'))
  return Buffer.concat(Array.from({ length: count }, () => frame))
}

/** An ID3 tag of a length, with what stands behind it. */
function tagged(length: number, rest: Uint8Array): Uint8Array {
  const size = String.fromCharCode(0, 0, length >> 7, length & 127)
  return Buffer.concat([latin1(`ID3\u0004\0\0${size}`), Buffer.alloc(length), rest])
}

const MP3 = frames('fffb9064', 417)
const ADTS = frames('fff15080173ffc', 185)

describe('interface: the first bytes identify every supported format, and MP3', () => {
  test.each<[string, Uint8Array, string]>([
    ['WAV', padded('RIFF\u0024\0\0\0WAVEfmt '), 'wav'],
    ['WAV over 4 GB', padded('RF64\xFF\xFF\xFF\xFFWAVEds64'), 'wav'],
    ['FLAC', padded('fLaC\0\0\0\u0022'), 'flac'],
    ['MP3 at 128 kbit/s', MP3, 'mp3'],
    ['MP3 with padding', frames('fffb9264', 418), 'mp3'],
    ['MP3 with a checksum', frames('fffa9064', 417), 'mp3'],
    ['MP3 of MPEG 2', frames('fff38064', 208), 'mp3'],
    ['MP3 of MPEG 2.5', frames('ffe38064', 417), 'mp3'],
    ['MP3 behind a tag', tagged(300, MP3), 'mp3'],
    ['MP3 behind a picture larger than what is looked at', tagged(16_000, MP3).subarray(0, HEAD_BYTES), 'mp3'],
    ['AAC', ADTS, 'aac'],
    ['AAC behind a tag', tagged(300, ADTS), 'aac'],
    ['AAC with one header', padded('ADIF'), 'aac'],
    ['AMR', padded('#!AMR\n'), 'amr'],
    ['AMR of wide band', padded('#!AMR-WB\n'), 'amr'],
    ['M4A, ALAC', box('M4A '), 'm4a'],
    ['MP4', box('isom'), 'mp4'],
    ['MP4 of the second version', box('mp42'), 'mp4'],
    ['MP4 of a telephone', box('3gp5'), 'mp4'],
    ['MOV', box('qt  '), 'mov'],
    ['MOV without a brand', atom('moov'), 'mov'],
    ['MPG', padded('\0\0\u0001\xBA\x44'), 'mpg'],
    ['MPG without a system stream', padded('\0\0\u0001\xB3\x14'), 'mpg'],
    ['OPUS', ogg('OpusHead'), 'opus'],
    ['OGG', ogg('\u0001vorbis'), 'ogg'],
    ['WebM', padded('\x1A\x45\xDF\xA3\x9F\x42\x82\x84webm'), 'webm'],
    ['WMA', Buffer.concat([Buffer.from('3026b2758e66cf11a6d900aa0062ce6c', 'hex'), Buffer.alloc(64)]), 'wma'],
  ])('%s', (_name, head, extension) => {
    expect(sniff(head)?.[0]).toBe(extension)
  })
})

test('other names of the same format match too', () => {
  expect(sniff(ogg('OpusHead'))).toEqual(['opus', 'ogg'])
  expect(sniff(ogg('\u0001vorbis'))).toEqual(['ogg'])
  for (const brand of ['M4A ', 'isom', 'qt  ']) {
    expect(sniff(box(brand))?.toSorted()).toEqual(['alac', 'm4a', 'mov', 'mp4'])
  }
  expect(sniff(tagged(16_000, MP3).subarray(0, HEAD_BYTES))).toEqual(['mp3', 'aac', 'flac'])
})

describe('other bytes are unknown', () => {
  test.each<[string, Uint8Array]>([
    ['nothing', new Uint8Array(0)],
    ['text', latin1('Speech to text\n'.repeat(20))],
    ['another RIFF', padded('RIFF\u0024\0\0\0AVI LIST')],
    ['Matroska that is no WebM', padded('\x1A\x45\xDF\xA3\x9F\x42\x82\x88matroska')],
    ['a picture in the same container', box('heic')],
    ['silence', new Uint8Array(HEAD_BYTES)],
    ['one frame alone, which may be chance', frames('fffb9064', 417, 1)],
    ['a frame of another layer', frames('fffd9064', 417)],
    ['a frame without a rate', frames('fffbf064', 417)],
    ['a frame of no length', frames('fff15080000000', 185)],
    ['the first letters of a tag', latin1('ID3')],
  ])('%s', (_name, head) => {
    expect(sniff(head)).toBeUndefined()
  })

  test('PCM that begins like an MP3 frame', () => {
    const pcm = Buffer.alloc(HEAD_BYTES)
    for (let at = 0; at < pcm.length; at += 2) pcm.writeInt16LE(Math.round(Math.sin(at / 40) * 9000), at)
    pcm.set([0xff, 0xfb, 0x90, 0x64])
    expect(sniff(pcm)).toBeUndefined()
  })

  test('no bytes throw', () => {
    const start = fc.constantFrom('', 'ID3', '\xFF\xFB', '\xFF\xF1', 'OggS', 'RIFF', '\0\0\0 ftyp')
    fc.assert(
      fc.property(start, fc.uint8Array({ maxLength: 200 }), (text, rest) => {
        const known = sniff(Buffer.concat([latin1(text), rest]))
        expect(known === undefined || known.length > 0).toBe(true)
      }),
    )
  })
})
