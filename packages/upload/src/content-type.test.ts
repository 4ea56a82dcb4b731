import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { array, assert, constantFrom, nat, property, tuple } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { containedMedia } from './container.ts'
import { checkContent } from './content-type.ts'
import { DEFAULT_ACCEPT } from './options.ts'

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')
const padded = (text: string): Buffer => Buffer.concat([latin1(text), Buffer.alloc(64)])

/** The first bytes of an Ogg page that carries a codec's header. */
const ogg = (codec: string): Buffer => padded(`OggS\0\u0002${'\0'.repeat(20)}\u0001\u0013${codec}`)
const box = (brand: string): Buffer => padded(`\0\0\0\u0018ftyp${brand}\0\0\0\0`)
const STREAM_PROPERTIES = '9107dcb7b7a9cf118ee600c00c205365'
const AUDIO = '409e69f84d5bcf11a8fd00805f5c442b'
/** A Windows Media header with one object, longer than the checked bytes. */
const asf = (object: string, type: string): Buffer =>
  Buffer.from(
    `3026b2758e66cf11a6d900aa0062ce6c${'00'.repeat(14)}${object}ffff000000000000${type}${'00'.repeat(64)}`,
    'hex',
  )

const DEFAULTS = { accept: DEFAULT_ACCEPT, allowRaw: false }
const OCTETS = 'application/octet-stream'
const REFUSED = { status: 415, code: 'unsupported_content' }
const GUID_W64 = '2e91cf11a5d628db04c10000'

/** Two frames of MP3 at 128 kbit/s. */
const mp3 = Buffer.concat([0, 1].map(() => Buffer.concat([Buffer.from('fffb9064', 'hex'), Buffer.alloc(413)])))

describe('every format of the interface is recognized by its first bytes', () => {
  test.each([
    ['WAV', padded('RIFF\u0024\0\0\0WAVEfmt '), 'audio/wav'],
    ['WAV over 4 GiB, RF64', padded('RF64\xFF\xFF\xFF\xFFWAVEds64'), 'audio/wav'],
    ['WAV over 4 GiB, BW64', padded('BW64\xFF\xFF\xFF\xFFWAVEds64'), 'audio/wav'],
    ['Wave64', Buffer.concat([latin1('riff'), Buffer.from(GUID_W64, 'hex'), Buffer.alloc(64)]), 'audio/x-w64'],
    ['FLAC', padded('fLaC\0\0\0\u0022'), 'audio/flac'],
    ['MP3', padded('\xFF\xFB\x90\x64'), 'audio/mpeg'],
    ['MP3 behind zeros', Buffer.concat([Buffer.alloc(1000), mp3]), 'audio/mpeg'],
    ['MP3 behind line breaks', Buffer.concat([latin1('\r\n\r\n'), mp3]), 'audio/mpeg'],
    ['MP3 behind a picture larger than the inspected bytes', padded('ID3\u0003\0\0\0\u0004\0\0'), 'audio/mpeg'],
    ['AAC', padded('\xFF\xF1\x50\x80'), 'audio/aac'],
    ['AMR', padded('#!AMR\n'), 'audio/amr'],
    ['M4A, ALAC', box('M4A '), 'audio/x-m4a'],
    ['MP4', box('isom'), 'video/mp4'],
    ['MOV', box('qt  '), 'video/quicktime'],
    ['MPG', padded('\0\0\u0001\xBA\x44'), 'video/MP2P'],
    ['OGG, OPUS', ogg('OpusHead'), 'audio/ogg; codecs=opus'],
    ['OGG of an unknown codec', ogg('whatever'), 'application/ogg'],
    ['WebM', padded('\x1A\x45\xDF\xA3\x9F\x42\x82\x84webm'), 'video/webm'],
    ['WMA', asf(STREAM_PROPERTIES, AUDIO), 'audio/x-ms-asf'],
    ['WMA whose first bytes do not reach its stream', asf('00'.repeat(16), AUDIO), 'application/vnd.ms-asf'],
  ])('%s', async (_name, head, mime) => {
    expect(await checkContent(head, OCTETS, DEFAULTS)).toMatchObject({ mime })
  })
})

test('`accept` narrows to a family or to one type', async () => {
  const [mpeg, flac] = [padded('\0\0\u0001\xBA\x44'), padded('fLaC\0\0\0\u0022')]
  const judge = (head: Buffer, accept: readonly string[]) => checkContent(head, OCTETS, { accept, allowRaw: false })
  await expect(judge(mpeg, ['audio/*'])).rejects.toMatchObject(REFUSED)
  expect(await judge(flac, ['audio/*'])).toMatchObject({ ext: 'flac' })
  expect(await judge(flac, ['Audio/FLAC'])).toMatchObject({ ext: 'flac' })
  expect(await judge(ogg('OpusHead'), ['audio/ogg'])).toMatchObject({ ext: 'opus' })
  await expect(judge(flac, ['audio/wav'])).rejects.toMatchObject(REFUSED)
})

describe('content without a known signature', () => {
  const pcm = Buffer.from('0001000200030004', 'hex')

  test('goes to the service if the client declares accepted audio', async () => {
    expect(await checkContent(pcm, 'audio/x-unknown', DEFAULTS)).toBeUndefined()
    expect(await checkContent(pcm, 'Audio/MPEG', { accept: ['audio/mpeg'], allowRaw: false })).toBeUndefined()
  })

  test('is refused if the client declares something else', async () => {
    for (const declared of [OCTETS, 'text/plain', 'video/mp4', 'audio', '']) {
      await expect(checkContent(pcm, declared, DEFAULTS)).rejects.toMatchObject(REFUSED)
    }
    const narrow = { accept: ['audio/flac'], allowRaw: false }
    await expect(checkContent(pcm, 'audio/mpeg', narrow)).rejects.toMatchObject(REFUSED)
  })

  test('with `allowRaw` passes under any declared type', async () => {
    expect(await checkContent(pcm, OCTETS, { accept: DEFAULT_ACCEPT, allowRaw: true })).toBeUndefined()
  })
})

test('known content that is not accepted is refused under any declared type, also after padding', async () => {
  for (const head of [padded('%PDF-1.7'), padded('\r\n%PDF-1.7'), padded('PK\u0003\u0004')]) {
    await expect(checkContent(head, 'audio/wav', DEFAULTS)).rejects.toMatchObject(REFUSED)
  }
})

const FOLDER = join(import.meta.dirname, '../test/fixtures/recordings')
const FILES = readdirSync(FOLDER)
const head = (name: string): Uint8Array => readFileSync(join(FOLDER, `${name}.bin`))

/** An MP4 box. */
function mp4Box(name: string, ...content: readonly Uint8Array[]): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt32BE(8 + content.reduce((sum, part) => sum + part.byteLength, 0))
  return Buffer.concat([size, Buffer.from(name), ...content])
}
const track = (handler: string): Buffer =>
  mp4Box('trak', mp4Box('mdia', mp4Box('hdlr', Buffer.alloc(8), Buffer.from(handler), Buffer.alloc(12))))
const ftyp = (brand: string): Buffer => mp4Box('ftyp', Buffer.from(brand), Buffer.alloc(4))
/** The start of a recording of an iPhone or of Safari: tracks first. */
const safari = Buffer.concat([ftyp('iso5'), mp4Box('moov', mp4Box('mvhd', Buffer.alloc(100)), track('soun'))])
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
    expect(containedMedia(Buffer.concat([ftyp('isom'), mp4Box('moov', ...tracks.map(track))]))).toBe('video')
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

  test('a container whose tracks are out of reach is sound where sound alone is accepted', async () => {
    for (const declared of ['audio/mp4', 'video/mp4', OCTETS, '']) {
      expect(await judge(android, declared, ['audio/*'])).toMatchObject({ mime: 'audio/mp4', noPicture: true })
      await expect(judge(android, declared, ['audio/webm'])).rejects.toMatchObject({ code: 'unsupported_content' })
    }
    expect(await judge(android, OCTETS, DEFAULT_ACCEPT)).toMatchObject({ mime: 'video/mp4', noPicture: false })
    await expect(judge(android, 'audio/mp4', ['video/*'])).rejects.toMatchObject({ code: 'unsupported_content' })
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
