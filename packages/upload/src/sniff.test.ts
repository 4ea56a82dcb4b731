import { describe, expect, test } from 'vitest'
import { DEFAULT_ACCEPT } from './options.ts'
import { sniff } from './sniff.ts'

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')
const padded = (text: string): Buffer => Buffer.concat([latin1(text), Buffer.alloc(64)])

/** The first bytes of an Ogg page that carries a codec's header. */
const ogg = (codec: string): Buffer => padded(`OggS\0\u0002${'\0'.repeat(20)}\u0001\u0013${codec}`)
const box = (brand: string): Buffer => padded(`\0\0\0\u0018ftyp${brand}\0\0\0\0`)
const STREAM_PROPERTIES = '9107dcb7b7a9cf118ee600c00c205365'
const AUDIO = '409e69f84d5bcf11a8fd00805f5c442b'
/** A Windows Media header with one object in it, longer than what is read. */
const asf = (object: string, type: string): Buffer =>
  Buffer.from(
    `3026b2758e66cf11a6d900aa0062ce6c${'00'.repeat(14)}${object}ffff000000000000${type}${'00'.repeat(64)}`,
    'hex',
  )

describe('every format of the interface is known by its first bytes', () => {
  test.each([
    ['WAV', padded('RIFF\u0024\0\0\0WAVEfmt '), 'audio/wav'],
    ['FLAC', padded('fLaC\0\0\0\u0022'), 'audio/flac'],
    ['MP3', padded('\xFF\xFB\x90\x64'), 'audio/mpeg'],
    ['MP3 behind a picture larger than what is read', padded('ID3\u0003\0\0\0\u0004\0\0'), 'audio/mpeg'],
    ['AAC', padded('\xFF\xF1\x50\x80'), 'audio/aac'],
    ['AMR', padded('#!AMR\n'), 'audio/amr'],
    ['M4A, ALAC', box('M4A '), 'audio/x-m4a'],
    ['MP4', box('isom'), 'video/mp4'],
    ['MOV', box('qt  '), 'video/quicktime'],
    ['MPG', padded('\0\0\u0001\xBA\x44'), 'video/MP2P'],
    ['OGG, OPUS', ogg('OpusHead'), 'audio/ogg; codecs=opus'],
    ['OGG of a kind that is not told', ogg('whatever'), 'application/ogg'],
    ['WebM', padded('\x1A\x45\xDF\xA3\x9F\x42\x82\x84webm'), 'video/webm'],
    ['WMA', asf(STREAM_PROPERTIES, AUDIO), 'audio/x-ms-asf'],
    ['WMA whose first bytes do not come to its stream', asf('00'.repeat(16), AUDIO), 'application/vnd.ms-asf'],
  ])('%s', async (_name, head, mime) => {
    expect(await sniff(head, { accept: DEFAULT_ACCEPT, allowRaw: false })).toMatchObject({ mime })
  })
})

test('what is accepted can be narrowed, to a family or to one type', async () => {
  const [webm, flac] = [padded('\x1A\x45\xDF\xA3\x9F\x42\x82\x84webm'), padded('fLaC\0\0\0\u0022')]
  const judge = (head: Buffer, accept: readonly string[]) => sniff(head, { accept, allowRaw: false })
  const refused = { status: 415, code: 'unsupported_content' }
  await expect(judge(webm, ['audio/*'])).rejects.toMatchObject(refused)
  expect(await judge(flac, ['audio/*'])).toMatchObject({ ext: 'flac' })
  expect(await judge(flac, ['Audio/FLAC'])).toMatchObject({ ext: 'flac' })
  expect(await judge(ogg('OpusHead'), ['audio/ogg'])).toMatchObject({ ext: 'opus' })
  await expect(judge(flac, ['audio/wav'])).rejects.toMatchObject(refused)
  await expect(judge(flac, [])).rejects.toMatchObject(refused)
})

test('raw content passes only where it is allowed', async () => {
  const pcm = Buffer.from('0001000200030004', 'hex')
  await expect(sniff(pcm, { accept: DEFAULT_ACCEPT, allowRaw: false })).rejects.toMatchObject({ status: 415 })
  expect(await sniff(pcm, { accept: DEFAULT_ACCEPT, allowRaw: true })).toBeUndefined()
})
