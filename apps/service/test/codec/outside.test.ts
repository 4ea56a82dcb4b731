import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { UndecodableAudioError } from '@svc-audio/engine-ports'
import { ScratchFolder } from './containers.ts'
import { codecOver, presentLaunchers } from './launchers.ts'
import { box, element, matroska, movHead, numbers } from './bombs.ts'
import { collect, dominantFrequency, TONE_HZ, tone } from './sound.ts'
import { transcode } from './transcode.ts'

/** Samples of the canary: 8 kHz, 16 bit, two seconds. */
const SAMPLES = 16_000

/** Targets that a file may name: a neighbouring file by name, the same file by full path, and an address. */
interface Targets {
  readonly name: string
  readonly path: string
  readonly address: string
}

/** A classic alias: the location of a track's data, from the file's folder and from the root. */
function alias(path: string): Buffer {
  const head = Buffer.alloc(150)
  const text = Buffer.from(path.length % 2 === 0 ? path : `${path}\0`)
  const record = Buffer.alloc(4)
  record.writeUInt16BE(2, 0)
  record.writeUInt16BE(path.length, 2)
  head.writeUInt8(Math.min(basename(path).length, 63), 10 + 1 + 27 + 12)
  head.write(basename(path).slice(0, 63), 10 + 1 + 27 + 12 + 1, 'latin1')
  // One folder up and one down: the neighbouring file.
  head.writeUInt16BE(1, 10 + 1 + 27 + 12 + 1 + 63 + 16)
  head.writeUInt16BE(1, 10 + 1 + 27 + 12 + 1 + 63 + 18)
  return box('alis', numbers(0), head, record, text, Buffer.from([0xff, 0xff, 0, 0]))
}

const movOf = (reference: Buffer): Buffer => movHead({ id: 1, samples: SAMPLES, reference })

/** Files that name others, in every way that ffmpeg supports. */
const FILES: readonly [name: string, make: (targets: Targets) => string | Buffer][] = [
  [
    'an HLS playlist of a path',
    ({ path }) => `#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n${path}\n#EXT-X-ENDLIST\n`,
  ],
  [
    'an HLS playlist of a name',
    ({ name }) => `#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n${name}\n#EXT-X-ENDLIST\n`,
  ],
  ['an HLS playlist of an address', ({ address }) => `#EXTM3U\n#EXTINF:2,\n${address}\n#EXT-X-ENDLIST\n`],
  [
    'an HLS playlist with a key',
    ({ address, name }) => `#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI="${address}"\n#EXTINF:2,\n${name}\n`,
  ],
  ['an HLS master playlist', ({ address }) => `#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n${address}\n`],
  [
    'a DASH manifest',
    ({ address }) =>
      `<?xml version="1.0"?><MPD type="static" profiles="urn:mpeg:dash:profile:isoff-main:2011"><Period><AdaptationSet mimeType="audio/mp4"><Representation id="1" bandwidth="1"><BaseURL>${address}</BaseURL></Representation></AdaptationSet></Period></MPD>`,
  ],
  ['a script that joins a name', ({ name }) => `ffconcat version 1.0\nfile '${name}'\n`],
  ['a script that joins an address', ({ address }) => `ffconcat version 1.0\nfile '${address}'\n`],
  [
    'a session description',
    ({ address }) =>
      `v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=x\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\na=control:${address}\r\nm=audio ${new URL(address).port} RTP/AVP 0\r\n`,
  ],
  ['SMIL', ({ address }) => `<smil><body><audio src="${address}"/></body></smil>`],
  ['an ASX playlist', ({ address }) => `<asx version="3.0"><entry><ref href="${address}"/></entry></asx>`],
  ['a redirection of RealMedia', ({ address }) => `rtsp://${new URL(address).host}/a\n${address}\n`],
  ['a redirection of QuickTime', ({ address }) => `RTSPtext\n${address}\n`],
  ['a cue sheet', ({ name }) => `FILE "${name}" WAVE\n  TRACK 01 AUDIO\n    INDEX 01 00:00:00\n`],
  [
    'an IMF playlist',
    ({ address }) =>
      `<?xml version="1.0"?><CompositionPlaylist xmlns="http://www.smpte-ra.org/schemas/2067-3/2016"><Id>${address}</Id></CompositionPlaylist>`,
  ],
  ['an AVI that is a playlist', ({ path }) => `RIFF\0\0\0\0AVI #EXTM3U\n${path}\n`],
  ['a MOV with its data at a URL', ({ address }) => movOf(box('url ', numbers(0), Buffer.from(`${address}\0`)))],
  [
    'a MOV with its data in a file by URL',
    ({ path }) => movOf(box('url ', numbers(0), Buffer.from(`file://${path}\0`))),
  ],
  ['a MOV with its data in a file by alias', ({ path }) => movOf(alias(path))],
  [
    'a MOV that is a reference',
    ({ address }) =>
      box(
        'moov',
        box(
          'rmra',
          box(
            'rmda',
            box('rdrf', numbers(0), Buffer.from('url '), numbers(address.length + 1), Buffer.from(`${address}\0`)),
          ),
        ),
      ),
  ],
  [
    'a Matroska file with the next one',
    ({ name }) =>
      matroska(element('1549a966', 11 - 1 + name.length, element('3e83bb', name.length, Buffer.from(name)))),
  ],
]

let folder: ScratchFolder
let server: Server
let targets: Targets
const asked: (string | undefined)[] = []
beforeAll(async () => {
  folder = await ScratchFolder.create()
  const canary = await transcode(tone(2), '-ar 8000 -c:a pcm_s16le -f wav out')
  const path = await folder.write(canary, 'canary.wav')
  server = createServer((request, response) => {
    asked.push(request.url)
    response.end(canary)
  })
  server.on('connection', () => asked.push('a connection'))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  // A server that listens on TCP has this kind of address.
  const { port } = server.address() as AddressInfo
  targets = { path, name: basename(path), address: `http://127.0.0.1:${port}/canary.wav` }
})
afterAll(async () => {
  server.close()
  await folder.remove()
})

describe.for(await presentLaunchers())(
  'ffmpeg and files that name other files (%s)',
  { timeout: 60_000 },
  ([, launcher]) => {
    const codec = codecOver(launcher)
    afterAll(() => codec.close())

    test.for(FILES)('the target of %s is neither opened nor called', async ([, make]) => {
      const path = await folder.write(make(targets))
      const outcome: unknown = await collect(codec.decode(path)).catch((error: unknown) => error)
      const heard = outcome instanceof Buffer ? dominantFrequency(outcome) : 0
      expect(outcome).toSatisfy((one) => one instanceof Buffer || one instanceof UndecodableAudioError)
      expect(heard).not.toBe(TONE_HZ)
      expect(asked.splice(0)).toEqual([])
    })

    test.for([
      'subfile,,start,0,end,0,,:canary.wav',
      'concat:canary.wav|canary.wav',
      'crypto+file:canary.wav',
      'async:x',
      '%01d.wav',
      '-i canary.wav',
    ])('the file name %s has no special meaning', async (name) => {
      const path = await folder.write('no sound', name)
      await expect(collect(codec.decode(path))).rejects.toThrow(UndecodableAudioError)
    })
  },
)
