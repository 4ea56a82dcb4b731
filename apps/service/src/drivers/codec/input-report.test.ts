import { describe, expect, test } from 'vitest'
import { InputReport } from './input-report.ts'

function reportOf(messages: string): InputReport {
  const report = new InputReport('file:/tmp/x')
  for (const line of messages.split('\n')) report.read(line)
  return report
}

const FILM = `Input #0, matroska,webm, from 'file:/tmp/x':
  Duration: 00:00:25.50, start: 5.987000, bitrate: 42 kb/s
  Stream #0:0: Video: h264 (High), yuv444p, 160x120, 10 fps
  Stream #0:1(eng): Audio: ac3, 48000 Hz, 5.1(side), fltp, 448 kb/s
  Stream #0:2[0x3](eng): Audio: aac (LC), 44100 Hz, mono, fltp (default)
  Stream #0:3: Subtitle: subrip
Stream mapping:
  Stream #0:1 -> #0:0 (ac3 (native) -> pcm_s16le (native))
Output #0, smjpeg, to 'pipe:1':
  Stream #0:0(eng): Audio: pcm_s16le, 16000 Hz, stereo, s16, 512 kb/s (default)`

describe('the messages of ffmpeg tell', () => {
  test('the length, the tracks and the choice', async () => {
    const report = reportOf(FILM)
    await report.headed
    expect(report).toMatchObject({ isTimed: true, stated: 25.5, lead: 5.987, hasPictures: true, tracks: 2, chosen: 1 })
    expect(report.candidates).toEqual([2, 1])
  })

  test('a cover is no picture, and a track that ffmpeg takes for another is not read', () => {
    const report = reportOf(`Input #0, mov,mp4,m4a,3gp,3g2,mj2, from 'file:/tmp/x':
  Duration: 00:00:09.00, start: 0.000000, bitrate: 72 kb/s
  Stream #0:0[0x1]: Audio: aac (LC) (apac / 0x63617061), 44100 Hz, stereo, fltp, 2 kb/s (default)
  Stream #0:1[0x2]: Audio: none (apac / 0x63617061), 44100 Hz, stereo
  Stream #0:2[0x3]: Audio: aac (LC) (mp4a / 0x6134706D), 44100 Hz, mono, fltp, 69 kb/s
  Stream #0:3[0x0]: Video: mjpeg (Baseline), yuvj444p, 600x600 (attached pic)`)
    expect(report).toMatchObject({ hasPictures: false, tracks: 3, candidates: [2] })
  })

  test('an estimated length, and none, are unknown', () => {
    expect(reportOf('  Duration: N/A, start: 0.1, bitrate: N/A').stated).toBeUndefined()
    const estimated = '[mp3 @ 0x1] Estimating duration from bitrate, this may be inaccurate'
    expect(reportOf(`${estimated}\n  Duration: 00:00:24.94, start: 0.025057`).stated).toBeUndefined()
    expect(reportOf('  Duration: 00:00:09.00, bitrate: 705 kb/s').stated).toBe(9)
  })

  test('nothing that a tag of the file says', () => {
    const tags = ['File ended prematurely', 'Estimating duration from bitrate', '[x @ 0x1] Error during demuxing: no']
    const report = reportOf(
      `Input #0, ogg, from 'x':\n${tags.map((tag) => `    title           : ${tag}`).join('\n')}\n  Duration: 00:00:09.00`,
    )
    expect(report).toMatchObject({ isCut: false, readFault: undefined, stated: 9 })
  })

  test('the tracks as ffmpeg 4 writes them', () => {
    const report = reportOf(`  Duration: 00:00:09.00, start: 0.000000, bitrate: 72 kb/s
    Stream #0:0(und): Video: h264 (High), yuv420p, 64x48
    Stream #0:1(und): Audio: aac (LC) (mp4a / 0x6134706D), 44100 Hz, mono, fltp (default)
Stream mapping:
  Stream #0:1 -> #0:0 (aac (native) -> pcm_s16le (native))`)
    expect(report).toMatchObject({ hasPictures: true, tracks: 1, chosen: 1 })
  })

  test('a start behind the stated length is a part of a longer recording', () => {
    const part = `Input #0, mov,mp4,m4a, from 'x':\n  Duration: 00:00:04.00, start: 3600.000000`
    expect(reportOf(part).lead).toBe(0)
    expect(reportOf(`Input #0, mpegts, from 'x':\n  Duration: 00:00:04.00, start: 1.400000`).lead).toBe(0)
  })

  test('a cut file, and a read that failed', () => {
    expect(reportOf('[matroska,webm @ 0x1] File ended prematurely').isCut).toBe(true)
    expect(reportOf('file:/tmp/x: Invalid argument').readFault).toBe('Invalid argument')
    expect(reportOf('[in#0/ogg @ 0x1] Error during demuxing: Invalid argument').readFault).toBe('Invalid argument')
    expect(reportOf('file:/tmp/x: corrupt input packet in stream 0').readFault).toBeUndefined()
  })

  test('the end of the messages ends the wait for the rest of them', async () => {
    const report = new InputReport('x')
    report.read(undefined)
    await expect(report.headed).resolves.toBeUndefined()
  })
})
