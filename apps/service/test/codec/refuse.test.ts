import { encodeWav } from '@svc-audio/core/audio'
import { array, assert, asyncProperty, constantFrom, double, nat, record } from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import type { FfmpegCodec } from '../../src/drivers/codec/ffmpeg-codec.ts'
import { FfmpegError } from '../../src/drivers/codec/ffmpeg-process.ts'
import { UndecodableAudioError } from '@svc-audio/engine-ports'
import { ScratchFolder } from './containers.ts'
import { codecOver, presentLaunchers } from './launchers.ts'
import { collect, decodedSeconds, SPEECH_PCM, tone } from './sound.ts'
import { transcode } from './transcode.ts'

let folder: ScratchFolder
beforeAll(async () => {
  folder = await ScratchFolder.create()
})
afterAll(() => folder.remove())

/** Bytes of no known format, identical in every run. */
function noise(length: number): Buffer {
  let state = 0x9e37_79b9
  return Buffer.from(
    Array.from({ length }, () => {
      state ^= state << 13
      state ^= state >>> 17
      state ^= state << 5
      return state & 0xff
    }),
  )
}

describe.for(await presentLaunchers())('refusing with ffmpeg (%s)', { timeout: 60_000 }, ([, launcher]) => {
  let codec: FfmpegCodec
  const decode = async (content: string | Uint8Array, name?: string): Promise<Buffer> =>
    await collect(codec.decode(await folder.write(content, name)))
  const refusal = async (content: string | Uint8Array): Promise<UndecodableAudioError> => {
    const error: unknown = await decode(content).then(
      () => new Error('it was decoded'),
      (reason: unknown) => reason,
    )
    if (error instanceof UndecodableAudioError) return error
    throw new Error('not refused as it should be', { cause: error })
  }

  beforeAll(() => {
    codec = codecOver(launcher)
  })
  afterAll(() => codec.close())

  test.for([
    ['nothing', Buffer.alloc(0)],
    ['one byte', Buffer.alloc(1)],
    ['noise', noise(70_000)],
    ['text', 'Speech and transcription.\n'.repeat(500)],
    ['a page', '<!doctype html><html><body>404</body></html>'],
    ['an archive', Buffer.concat([Buffer.from('PK\u0003\u0004'), noise(9000)])],
    ['a WAV header and no more', encodeWav(SPEECH_PCM, [])],
    ['the beginning of an MP4', Buffer.from('\0\0\0\u0020ftypM4A \0\0\0\0M4A mp42isom\0\0\0\0')],
    ['half a magic number', 'OggS'],
  ] as const)('%s is no audio', async ([, content]) => {
    expect((await refusal(content)).message).toMatch(/^The file \w/)
  })

  test("the message names no path, and the cause stores little of ffmpeg's output", async () => {
    const error = await refusal(noise(5000))
    expect(error.message).not.toContain(folder.path)
    expect(error.cause instanceof FfmpegError && error.cause.stderr.length).toBeLessThanOrEqual(4096)
  })

  test('a picture without sound is refused with a clear message', async () => {
    const silent = await transcode(tone(0.1), '-f lavfi -i testsrc=d=1:s=64x48:r=5 -map 1:v -c:v mpeg4 -f mp4 out')
    expect((await refusal(silent)).message).toBe('The file has no audio stream.')
  })

  test('an M4A without its end, which holds the index, is refused', async () => {
    const whole = await transcode(tone(2), '-c:a aac -f ipod out')
    const cut = whole.subarray(0, Math.floor(whole.byteLength * 0.7))
    expect((await refusal(cut)).message).toBe('The file is not audio of a supported format, or is corrupt.')
  })

  test('a truncated or damaged file decodes as far as possible', async () => {
    const mp3 = await transcode(tone(4), '-c:a libmp3lame -f mp3 out')
    expect(decodedSeconds(await decode(mp3.subarray(0, mp3.byteLength / 2)))).toBeCloseTo(2, 0)
    const flac = await transcode(tone(4), '-c:a flac -f flac out')
    const middle = Math.floor(flac.byteLength / 2)
    flac.fill(0xaa, middle, middle + 3000)
    expect(decodedSeconds(await decode(flac))).toBeGreaterThan(3)
    const wav = encodeWav(SPEECH_PCM, [tone(2)])
    expect(decodedSeconds(await decode(wav.subarray(0, wav.byteLength / 2)))).toBeCloseTo(1, 1)
  })

  test('a missing file is not reported as undecodable', async () => {
    await expect(collect(codec.decode(`${folder.path}/missing`))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('file names have no meaning for ffmpeg', async () => {
    const wav = encodeWav(SPEECH_PCM, [tone(0.5)])
    for (const name of ['-version', '%03d.wav', 'concat:a|b', 'pipe:0', "it's; $(x) `y` é中"])
      expect(decodedSeconds(await decode(wav, name))).toBeCloseTo(0.5, 3)
  })

  test('damage anywhere gives sound or a refusal, never another error', async () => {
    const files = await Promise.all(
      ['-c:a aac -f ipod out', '-c:a libvorbis -f ogg out'].map((a) => transcode(tone(1), a)),
    )
    const damage = record({
      file: constantFrom(...files),
      at: double({ min: 0, max: 0.99, noNaN: true }),
      byte: nat(255),
    })
    await assert(
      asyncProperty(array(damage, { minLength: 1, maxLength: 30 }), async (damages) => {
        const [first] = damages
        const broken = Buffer.from(first?.file ?? noise(100))
        for (const { at, byte } of damages) broken[Math.floor(at * broken.byteLength)] = byte
        const outcome: unknown = await decode(broken).catch((error: unknown) => error)
        expect(outcome instanceof Buffer || outcome instanceof UndecodableAudioError).toBe(true)
      }),
      { numRuns: 8 },
    )
  })
})
