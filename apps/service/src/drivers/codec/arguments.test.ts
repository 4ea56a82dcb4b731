import { expect, test } from 'vitest'

import { decodeArguments, encodeArguments } from './arguments.ts'

const PCM = { sampleRate: 22_050, channels: 1, bitDepth: 16 }

/** The value behind an option. */
function option(args: readonly string[], name: string): string | undefined {
  return args[args.indexOf(name) + 1]
}

test('only containers that cannot name another file are allowed', () => {
  const formats = option(decodeArguments('file:/a'), '-format_whitelist')?.split(',')
  for (const allowed of ['wav', 'mp3', 'flac', 'ogg', 'aac', 'amr', 'mov', 'matroska', 'asf', 'mpeg'])
    expect(formats).toContain(allowed)
  for (const refused of ['hls', 'dash', 'concat', 'sdp', 'rtsp', 'image2', 'avi', 'lavfi', 'tty', 'applehttp'])
    expect(formats).not.toContain(refused)
})

test('only audio decoders are allowed, and no protocol except files and pipes', () => {
  const args = decodeArguments('file:/a')
  const decoders = option(args, '-codec_whitelist')?.split(',') ?? []
  for (const allowed of ['aac', 'alac', 'amrnb', 'amrwb', 'opus', 'vorbis', 'wmav2', 'mp3float', 'flac'])
    expect(decoders).toContain(allowed)
  for (const refused of ['h264', 'hevc', 'vp8', 'mpeg1video', 'mjpeg', 'png', 'ass', ''])
    expect(decoders).not.toContain(refused)
  expect(option(args, '-protocol_whitelist')).toBe('file,pipe')
  expect(args.indexOf('-protocol_whitelist')).toBeLessThan(args.indexOf('-i'))
})

test('a name with spaces and a marking with any text stay one argument each', () => {
  expect(option(decodeArguments('file:/a b -c'), '-i')).toBe('file:/a b -c')
  expect(option(encodeArguments('mp3', PCM, 'a b\n-y'), '-metadata')).toBe('AIGC=a b\n-y')
  expect(encodeArguments('mp3', PCM, undefined)).not.toContain('-metadata')
})

test('a bit depth that ffmpeg lacks is refused', () => {
  for (const bitDepth of [8, 20, 64])
    expect(() => encodeArguments('mp3', { ...PCM, bitDepth }, undefined)).toThrow(RangeError)
  for (const bitDepth of [16, 24, 32])
    expect(encodeArguments('flac', { ...PCM, bitDepth }, undefined)).toContain(`s${bitDepth}le`)
})

test('pcm at another rate is raw samples of that rate, with the same bit depth', () => {
  const args = encodeArguments('pcm', PCM, undefined, 24_000)
  expect(args.slice(args.indexOf('-c:a'), args.indexOf('-c:a') + 6)).toEqual([
    '-c:a',
    'pcm_s16le',
    '-ar',
    '24000',
    '-f',
    's16le',
  ])
})
