import { encodeWav } from '@svc-audio/core/audio'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DecodedFile, UndecodableAudioError } from '@svc-audio/engine-ports'
import type { FfmpegCodec } from '../../src/drivers/codec/ffmpeg-codec.ts'
import { ScratchFolder } from './containers.ts'
import { codecOver, presentLaunchers } from './launchers.ts'
import { collect, decodedSeconds, dominantFrequency, SPEECH_PCM, tone, TONE_HZ } from './sound.ts'
import { transcode } from './transcode.ts'

const SECONDS = 2
const PCM = tone(SECONDS)
const STEREO = '-f s16le -ar 22050 -ac 2'

/** Both channels of a recording, the second one inverted. */
function inverted(pcm: Buffer): Buffer {
  const pairs = Buffer.alloc(2 * pcm.byteLength)
  for (let at = 0; at < pcm.byteLength; at += 2) {
    pairs.writeInt16LE(pcm.readInt16LE(at), 2 * at)
    pairs.writeInt16LE(-pcm.readInt16LE(at), 2 * at + 2)
  }
  return pairs
}

function chunk(id: string, data: Buffer, { pad = true, big = false } = {}): Buffer {
  const length = Buffer.alloc(4)
  if (big) length.writeUInt32BE(data.byteLength)
  else length.writeUInt32LE(data.byteLength)
  return Buffer.concat([Buffer.from(id), length, data, Buffer.alloc(pad ? data.byteLength % 2 : 0)])
}

function wav(chunks: readonly Buffer[], { form = 'RIFF' } = {}): Buffer {
  const body = Buffer.concat([Buffer.from('WAVE'), ...chunks])
  return chunk(form, body, { big: form === 'RIFX' })
}

const FORMAT = Buffer.from(encodeWav(SPEECH_PCM, [])).subarray(20, 36)
const HALF = PCM.subarray(0, PCM.byteLength / 2)
const LIST = Buffer.from('INFOISFT\x0E\0\0\0Lavf60.16.100\0x', 'latin1')

function rifx(): Buffer {
  const format = Buffer.alloc(16)
  for (const at of [0, 2, 12, 14]) format.writeUInt16BE(FORMAT.readUInt16LE(at), at)
  for (const at of [4, 8]) format.writeUInt32BE(FORMAT.readUInt32LE(at), at)
  const big = { big: true }
  return wav([chunk('fmt ', format, big), chunk('data', Buffer.from(PCM).swap16(), big)], { form: 'RIFX' })
}

/** Renames the codec of a track in an MP4 or MOV. */
function renamed(file: Buffer, which: 'first' | 'last', to: string): Buffer {
  const at = which === 'first' ? file.indexOf('mp4a') : file.lastIndexOf('mp4a')
  return Buffer.concat([file.subarray(0, at), Buffer.from(to), file.subarray(at + 4)])
}

const cut = (file: Buffer, share: number): Buffer => file.subarray(0, Math.round(file.byteLength * share))

/** Two tracks: silence, and the tone. */
const SILENT_FIRST = `-f lavfi -i anullsrc=r=22050:cl=stereo:d=${SECONDS} -map 1:a -map 0:a`
const NOT_FIRST = '-disposition:a:0 0 -disposition:a:1 default'

const oggOf = (codec: string, serial: number): Promise<Buffer> =>
  transcode(PCM, `-c:a ${codec} -serial_offset ${serial} -f ogg out`)

const whole: readonly (readonly [name: string, make: () => Buffer | Promise<Buffer>])[] = [
  ['a recording with an inverted channel', () => wavOf(inverted(PCM))],
  ['an inverted channel in Opus', () => transcode(inverted(PCM), '-c:a libopus -f ogg out', STEREO)],
  ['RIFX', rifx],
  [
    'a chunk without its padding',
    () => wav([chunk('fmt ', FORMAT), chunk('LIST', LIST, { pad: false }), chunk('data', PCM)]),
  ],
  ['a chunk with its padding', () => wav([chunk('fmt ', FORMAT), chunk('LIST', LIST), chunk('data', PCM)])],
  [
    'a default track behind a silent one, in MKV',
    () => transcode(PCM, `${SILENT_FIRST} ${NOT_FIRST} -c:a aac -f matroska out`),
  ],
  [
    'a default track behind a silent one, in MP4',
    () => transcode(PCM, `${SILENT_FIRST} ${NOT_FIRST} -c:a aac -f mp4 out`),
  ],
  [
    'a second track behind one that only bears a name',
    async () => renamed(await transcode(PCM, `${SILENT_FIRST} -c:a aac -f mov out`), 'first', 'apac'),
  ],
  [
    'a second track behind one of an unknown codec',
    async () =>
      renamed(
        await transcode(PCM, `${SILENT_FIRST} -c:a:0 pcm_s16be -c:a:1 aac -f mov out`).then(unknownPcm),
        'last',
        'mp4a',
      ),
  ],
]

function unknownPcm(file: Buffer): Buffer {
  return Buffer.from(file.toString('latin1').replace('twos', 'xyz1'), 'latin1')
}

function wavOf(pairs: Buffer): Buffer {
  return Buffer.concat([encodeWav({ ...SPEECH_PCM, channels: 2 }, [pairs])])
}

const early: readonly (readonly [name: string, make: () => Buffer | Promise<Buffer>])[] = [
  ['an MP4 that was cut', async () => cut(await transcode(PCM, '-c:a aac -movflags +faststart -f ipod out'), 0.6)],
  [
    'an MP4 in fragments that was cut',
    async () =>
      cut(
        await transcode(
          PCM,
          '-c:a aac -movflags frag_keyframe+empty_moov+default_base_moof -frag_duration 200000 -f mp4 out',
        ),
        0.7,
      ),
  ],
  ['a WebM that was cut', async () => cut(await transcode(PCM, '-c:a libopus -f webm out'), 0.7)],
  ['a WAV that was cut', () => cut(wav([chunk('fmt ', FORMAT), chunk('data', PCM)]), 0.6)],
  [
    'an MP3 that was cut, whose header states its length',
    async () => cut(await transcode(PCM, '-c:a libmp3lame -f mp3 out'), 0.6),
  ],
  ['a FLAC that was cut', async () => cut(await transcode(PCM, '-c:a flac -f flac out'), 0.6)],
]

const refused: readonly (readonly [name: string, make: () => Buffer | Promise<Buffer>, message: RegExp])[] = [
  [
    'a WAV with two chunks of samples',
    () => wav([chunk('fmt ', FORMAT), chunk('data', HALF), chunk('data', HALF)]),
    /several chunks of samples: convert it/,
  ],
  [
    'Opus followed by Vorbis in one Ogg',
    async () => Buffer.concat([await oggOf('libopus', 1), await oggOf('libvorbis', 2)]),
    /continues with audio of another codec: split it/,
  ],
]

describe.for(await presentLaunchers())('awkward files with ffmpeg (%s)', { timeout: 60_000 }, ([, launcher]) => {
  let folder: ScratchFolder
  let codec: FfmpegCodec
  beforeAll(async () => {
    folder = await ScratchFolder.create()
    codec = codecOver(launcher)
  })
  afterAll(async () => {
    await codec.close()
    await folder.remove()
  })

  const decode = async (
    make: () => Buffer | Promise<Buffer>,
  ): Promise<{ readonly pcm: Buffer; readonly end?: DecodedFile }> => {
    let end: DecodedFile | undefined
    const pcm = await collect(codec.decode(await folder.write(await make()), { onEnd: (file) => (end = file) }))
    return { pcm, ...(end === undefined ? {} : { end }) }
  }

  test.for(whole)('%s is the whole recording', async ([, make]) => {
    const { pcm, end } = await decode(make)
    expect(dominantFrequency(pcm)).toBe(TONE_HZ)
    expect(Math.abs(decodedSeconds(pcm) - SECONDS)).toBeLessThan(0.15)
    expect(end).toMatchObject({ endsEarly: false })
  })

  test.for(early)('%s ends early, which is told', async ([, make]) => {
    const { pcm, end } = await decode(make)
    expect(dominantFrequency(pcm)).toBe(TONE_HZ)
    expect(decodedSeconds(pcm)).toBeLessThan(0.9 * SECONDS)
    expect(end?.endsEarly).toBe(true)
    expect(end?.durationSeconds).toBeCloseTo(decodedSeconds(pcm), 2)
  })

  test.for(refused)('%s is refused with the reason', async ([, make, message]) => {
    const failed = await decode(make).catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(UndecodableAudioError)
    expect(failed).toMatchObject({ message: expect.stringMatching(message) })
  })
})
