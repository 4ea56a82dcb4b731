import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkContent, HEAD_BYTES } from '../src/content-type.ts'
import { containedMedia } from '../src/container.ts'
import { resolveOptions } from '../src/options.ts'
import { RECORDERS, settingsOfDocs } from './support/recorders.ts'
import { androidRecording, safariRecording, voiceMemo } from './support/recordings.ts'

const OCTETS = 'application/octet-stream'
/**
 * A head that a real program wrote: Chromium, or ffmpeg with AAC and the brand and layout of a recorder:
 *
 * - Safari: `-brand iso5 -movflags +frag_keyframe+empty_moov+default_base_moof -f mp4`
 * - Android: `-brand mp42 -f mp4` and `-f 3gp`, with `-movflags +faststart` for tracks in front
 * - Voice Memos: `-f ipod`
 */
const fixture = (name: string): Buffer => readFileSync(join(import.meta.dirname, `fixtures/recordings/${name}.bin`))
/** The first page of an Ogg file with Opus. */
const ogg = Buffer.from(`OggS\0\u0002${'\0'.repeat(20)}\u0001\u0013OpusHead${'\0'.repeat(11)}`, 'latin1')

/** A recording and the type that its recorder declares. */
type Recording = readonly [head: Buffer, declared: string]

/** The recordings of each column of the table in docs/recipes/browser-microphones.md. */
const RECORDINGS: Readonly<Record<string, readonly Recording[]>> = {
  [RECORDERS.chromiumWebm]: [
    [fixture('chromium-audio-webm-codecs-opus'), 'audio/webm;codecs=opus'],
    [fixture('chromium-audio-webm-codecs-pcm'), 'audio/webm;codecs=pcm'],
    [fixture('chromium-audio-x-matroska'), 'audio/x-matroska;codecs=opus'],
  ],
  [RECORDERS.chromiumMp4]: [[fixture('chromium-audio-mp4-codecs-opus'), 'audio/mp4;codecs=opus']],
  [RECORDERS.firefox]: [[ogg, 'audio/ogg; codecs=opus']],
  [RECORDERS.safari]: [
    [safariRecording(false), 'audio/mp4'],
    [fixture('ffmpeg-safari.mp4'), 'audio/mp4'],
  ],
  [RECORDERS.androidM4a]: [
    [androidRecording('mp4', 'end'), 'audio/mp4'],
    [androidRecording('mp4', 'front'), 'audio/x-m4a'],
    [androidRecording('mp4', 'front', 600), 'audio/mp4'],
    [fixture('ffmpeg-android-end.mp4'), 'audio/mp4'],
    [fixture('ffmpeg-android-front.mp4'), 'audio/mp4'],
  ],
  [RECORDERS.android3gp]: [
    [androidRecording('3gp', 'end'), 'audio/3gpp'],
    [androidRecording('3gp', 'front', 600), 'audio/3gpp'],
    [fixture('ffmpeg-android-end.3gp'), 'audio/3gpp'],
    [fixture('ffmpeg-android-front.3gp'), 'audio/3gpp'],
  ],
  [RECORDERS.voiceMemos]: [
    [voiceMemo(), 'audio/x-m4a'],
    [fixture('ffmpeg-voice-memo.m4a'), 'audio/x-m4a'],
  ],
}

/** Whether a route with this setting accepts the recording. */
async function accepts(accept: readonly string[], content: Buffer, declared: string): Promise<boolean> {
  const options = resolveOptions({ maxFileSize: 1, accept })
  return checkContent(content.subarray(0, HEAD_BYTES), declared, options).then(
    () => true,
    () => false,
  )
}

describe('the table of settings for recordings in the docs is true', () => {
  const settings = settingsOfDocs()

  test('it has the settings that other products document, and a column for each recorder', () => {
    const copied = ['audio/*', 'audio/webm', 'audio/mp4', 'audio/m4a', 'audio/x-m4a', 'audio/mpeg', 'audio/mpga']
    expect(settings.map(({ accept }) => accept.join(', '))).toEqual(expect.arrayContaining(copied))
    expect(settings.map(({ cells }) => Object.keys(cells))).toEqual(settings.map(() => Object.keys(RECORDINGS)))
  })

  test.each(settings)('$accept accepts what its row says', async ({ accept, cells }) => {
    const seen: Record<string, string> = {}
    for (const [column, recordings] of Object.entries(RECORDINGS)) {
      const all = await Promise.all(recordings.map(async ([head, declared]) => accepts(accept, head, declared)))
      seen[column] = [...new Set(all)].map((isAccepted) => (isAccepted ? 'yes' : '–')).join(' and ')
    }
    expect(seen).toEqual(cells)
  })
})

describe('recordings of Safari and Android', () => {
  test('with sound alone are audio by their tracks, whatever the client declares', async () => {
    for (const content of [
      safariRecording(false),
      androidRecording('mp4', 'front'),
      androidRecording('3gp', 'front'),
      fixture('ffmpeg-safari.mp4'),
      fixture('ffmpeg-android-front.mp4'),
      fixture('ffmpeg-android-front.3gp'),
    ]) {
      expect(containedMedia(content)).toBe('audio')
      expect(await accepts(['audio/*'], content, OCTETS)).toBe(true)
      expect(await accepts(['video/*'], content, 'video/mp4')).toBe(false)
    }
  })

  test('are audio although the tables of a long recording exceed the inspected bytes', async () => {
    const long = androidRecording('mp4', 'front', 600).subarray(0, HEAD_BYTES)
    expect(containedMedia(long)).toBe('audio')
    expect(await accepts(['audio/mp4'], long, OCTETS)).toBe(true)
  })

  test('with tracks at the end are sound where sound alone is accepted', async () => {
    const content = androidRecording('mp4', 'end')
    expect(containedMedia(content.subarray(0, HEAD_BYTES))).toBeUndefined()
    expect(await accepts(['audio/*'], content, 'audio/mp4')).toBe(true)
    expect(await accepts(['audio/*'], content, OCTETS)).toBe(true)
    expect(await accepts(['video/*'], content, 'video/mp4')).toBe(true)
  })

  test.each([
    ['built', safariRecording(true)],
    ['by ffmpeg', fixture('ffmpeg-safari-camera.mp4')],
  ])('with a picture, %s, are video, and never audio however few of their bytes are known', (_how, content) => {
    expect(containedMedia(content)).toBe('video')
    for (let size = 0; size <= content.byteLength; size++) {
      expect(containedMedia(content.subarray(0, size))).not.toBe('audio')
    }
  })
})
