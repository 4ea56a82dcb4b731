import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { array, assert, constantFrom, nat, property, tuple } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkContent } from './content-type.ts'
import { containedMedia } from './media-tracks.ts'

const FOLDER = join(import.meta.dirname, '../test/fixtures/recordings')
const FILES = readdirSync(FOLDER)
const head = (name: string): Uint8Array => readFileSync(join(FOLDER, `${name}.bin`))
const OCTETS = 'application/octet-stream'

/** An MP4 box. */
function box(name: string, ...content: readonly Uint8Array[]): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt32BE(8 + content.reduce((sum, part) => sum + part.byteLength, 0))
  return Buffer.concat([size, Buffer.from(name), ...content])
}
const track = (handler: string): Buffer =>
  box('trak', box('mdia', box('hdlr', Buffer.alloc(8), Buffer.from(handler), Buffer.alloc(12))))
const ftyp = (brand: string): Buffer => box('ftyp', Buffer.from(brand), Buffer.alloc(4))
/** The start of a recording of an iPhone or of Safari: tracks first. */
const safari = Buffer.concat([ftyp('iso5'), box('moov', box('mvhd', Buffer.alloc(100)), track('soun'))])
/** The start of a recording of Android: the tracks come after the sound. */
const android = Buffer.concat([ftyp('mp42'), Buffer.from('00100000', 'hex'), Buffer.from('mdat'), Buffer.alloc(2000)])

describe('recordings of Chromium', () => {
  test.each(FILES.filter((name) => name.startsWith('chromium-')))('%s is recognized by its tracks', (name) => {
    const kind = name.startsWith('chromium-audio') ? 'audio' : 'video'
    expect(containedMedia(readFileSync(join(FOLDER, name)))).toBe(kind)
  })
})

test('a fragmented MP4 with sound alone is audio', () => {
  expect(containedMedia(head('fragmented-audio.mp4'))).toBe('audio')
  expect(containedMedia(safari)).toBe('audio')
})

test('a picture makes a video, wherever its track stands', () => {
  for (const tracks of [
    ['vide', 'soun'],
    ['soun', 'vide'],
  ]) {
    expect(containedMedia(Buffer.concat([ftyp('isom'), box('moov', ...tracks.map(track))]))).toBe('video')
  }
})

test('tracks at the end of the file are unknown', () => {
  expect(containedMedia(head('tracks-at-the-end.mp4'))).toBeUndefined()
  expect(containedMedia(android)).toBeUndefined()
})

describe('`accept` decides by what a container holds', () => {
  const judge = (content: Uint8Array, declared: string, accept: readonly string[]) =>
    checkContent(content, declared, { accept, allowRaw: false })
  const webm = head('chromium-audio-webm-codecs-opus')
  const video = head('chromium-video-webm-codecs-vp8-opus')

  test('sound in WebM, Matroska and MP4 is `audio/*`, and its type says so', async () => {
    expect(await judge(webm, OCTETS, ['audio/*'])).toMatchObject({ mime: 'audio/webm' })
    expect(await judge(head('chromium-audio-mp4-codecs-opus'), OCTETS, ['audio/*'])).toMatchObject({
      mime: 'audio/mp4',
    })
    expect(await judge(safari, OCTETS, ['audio/*'])).toMatchObject({ mime: 'audio/mp4' })
    expect(await judge(head('chromium-audio-webm-codecs-pcm'), OCTETS, ['audio/webm'])).toBeDefined()
  })

  test('video is not `audio/*`, even if the client declares audio', async () => {
    await expect(judge(video, 'audio/webm', ['audio/*'])).rejects.toMatchObject({ code: 'unsupported_content' })
    expect(await judge(video, 'video/webm', ['video/*'])).toMatchObject({ mime: 'video/webm' })
  })

  test('lists that other products document accept the recordings of browsers and phones', async () => {
    const lists = [
      ['audio/webm', 'audio/mp4', 'audio/m4a'],
      [
        'audio/flac',
        'audio/mp3',
        'audio/mp4',
        'audio/mpeg',
        'audio/mpga',
        'audio/m4a',
        'audio/ogg',
        'audio/wav',
        'audio/webm',
      ],
    ]
    for (const accept of lists) {
      for (const content of [webm, safari, head('chromium-audio-mp4-codecs-opus')]) {
        expect(await judge(content, OCTETS, accept)).toBeDefined()
      }
    }
  })

  test('a container whose tracks are out of reach has the family that the client declares', async () => {
    expect(await judge(android, 'audio/mp4', ['audio/*'])).toMatchObject({ mime: 'audio/mp4' })
    await expect(judge(android, 'video/mp4', ['audio/*'])).rejects.toMatchObject({ code: 'unsupported_content' })
    await expect(judge(android, OCTETS, ['audio/*'])).rejects.toMatchObject({ code: 'unsupported_content' })
  })

  test.each([
    ['audio/x-m4a', 'audio/mp4'],
    ['audio/m4a', 'audio/x-m4a'],
    ['audio/mp4', 'audio/m4a'],
  ])('%s as a pattern accepts %s', async (pattern, declared) => {
    const m4a = Buffer.concat([ftyp('M4A '), Buffer.alloc(64)])
    expect(await judge(m4a, declared, [pattern])).toBeDefined()
  })

  test('`audio/x-wav` and `audio/wave` accept WAV', async () => {
    const wav = Buffer.concat([Buffer.from('RIFF\x24\0\0\0WAVEfmt ', 'latin1'), Buffer.alloc(64)])
    for (const pattern of ['audio/x-wav', 'audio/wave', 'audio/vnd.wave']) {
      expect(await judge(wav, OCTETS, [pattern])).toMatchObject({ mime: 'audio/wav' })
    }
  })
})

describe('broken containers', () => {
  test('a file cut at any byte never turns from video into audio', () => {
    for (const name of FILES.filter((file) => file.includes('-video-'))) {
      const whole = readFileSync(join(FOLDER, name))
      for (let size = 0; size <= whole.byteLength; size++) {
        expect(containedMedia(whole.subarray(0, size))).not.toBe('audio')
      }
    }
  })

  test('any bytes end without an error', () => {
    const starts = FILES.map((name) => readFileSync(join(FOLDER, name)).subarray(0, 400))
    assert(
      property(constantFrom(...starts), array(tuple(nat(399), nat(255)), { maxLength: 30 }), (start, changes) => {
        const bytes = Uint8Array.from(start)
        for (const [at, value] of changes) bytes[at % bytes.length] = value
        expect(['audio', 'video', undefined]).toContain(containedMedia(bytes))
      }),
      { numRuns: 2000 },
    )
  })
})
