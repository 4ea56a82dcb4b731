import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DecodedFile } from '@svc-audio/engine-ports'
import type { FfmpegCodec } from '../../src/drivers/codec/ffmpeg-codec.ts'
import { ScratchFolder } from './containers.ts'
import { codecOver, presentLaunchers } from './launchers.ts'
import { collect, tone } from './sound.ts'
import { transcode } from './transcode.ts'

/** How far a sound may stand from where a player plays it, in seconds. */
const TOLERANCE = 0.3

const SOUND_SECONDS = 2
const LATE_SECONDS = 3
const FILM_SECONDS = 8

const PCM = '-f s16le -ar 22050 -ac 1'
const LATE = `-itsoffset ${LATE_SECONDS} ${PCM}`
const FILM = `-f lavfi -i testsrc=duration=${FILM_SECONDS}:size=64x48:rate=5 -pix_fmt yuv420p -map 1:v -map 0:a`
const H264 = '-c:v libx264 -preset ultrafast'
const FRAGMENTS = '-movflags frag_keyframe+empty_moov+default_base_moof'
/** From the first second on, every time stamp is later. */
const GAP = `-bsf:a setts=ts=if(gte(PTS*TB\\,1)\\,PTS+${LATE_SECONDS}/TB\\,PTS)`

/** A file: its arguments for ffmpeg, where its sound is, and its length for a player. In seconds. */
interface Case {
  readonly name: string
  readonly args: string
  readonly inputs?: string
  /** Arguments of a first step, whose file is the input of the second. @default one step */
  readonly first?: string
  readonly sounds: readonly (readonly [number, number])[]
  readonly duration: number
}

const late = (name: string, args: string, duration = FILM_SECONDS): Case => ({
  name: `${name}, sound that starts late`,
  args,
  inputs: LATE,
  sounds: [[LATE_SECONDS, LATE_SECONDS + SOUND_SECONDS]],
  duration,
})

const gapped = (name: string, args: string, more: Pick<Case, 'first' | 'inputs'> = {}): Case => ({
  name: `${name}, a gap in the sound`,
  args: more.first?.includes(GAP) === true ? args : `${GAP} ${args}`,
  ...more,
  sounds: [
    [0, 1],
    [1 + LATE_SECONDS, SOUND_SECONDS + LATE_SECONDS],
  ],
  duration: SOUND_SECONDS + LATE_SECONDS,
})

const CASES: readonly Case[] = [
  late('MP4 with an edit list', `${FILM} ${H264} -c:a aac -f mp4 out`),
  late('MOV with an edit list', `${FILM} -c:v mpeg4 -c:a pcm_s16le -f mov out`),
  late('MP4 in fragments', `${FILM} ${H264} -c:a aac ${FRAGMENTS} -f mp4 out`),
  late('M4A with an edit list and no pictures', '-c:a aac -f ipod out', LATE_SECONDS + SOUND_SECONDS),
  late('MKV', `${FILM} ${H264} -c:a libopus -f matroska out`),
  late('MKV without pictures', '-c:a libopus -f matroska out', LATE_SECONDS + SOUND_SECONDS),
  late('WebM', `${FILM} -c:v libvpx -deadline realtime -c:a libopus -f webm out`),
  late('MPEG-TS', `${FILM} ${H264} -c:a aac -f mpegts out`),
  gapped('MP4', '-c:a aac -f mp4 out'),
  gapped('MOV', '-c:a aac -f mov out'),
  gapped('MP4 in fragments', `-c:a aac ${FRAGMENTS} -frag_duration 500000 -f mp4 out`),
  gapped('MKV', '-c copy -f matroska out', { first: '-c:a libopus -f matroska out', inputs: '-f matroska' }),
  gapped('WebM', '-c copy -f webm out', { first: '-c:a libopus -f webm out', inputs: '-f matroska' }),
  gapped('MPEG-TS', '-c copy -f mpegts out', { first: `${GAP} -c:a aac ${FRAGMENTS} -f mp4 out`, inputs: '-f mp4' }),
]

/** Where a 16 kHz recording has sound, with pauses of half a second and more between. */
function soundsOf(pcm: Buffer): [number, number][] {
  const sounds: [number, number][] = []
  for (let at = 0; at + 1 < pcm.byteLength; at += 2) {
    if (Math.abs(pcm.readInt16LE(at)) < 2000) continue
    const second = at / 32_000
    const last = sounds.at(-1)
    if (last !== undefined && second - last[1] < 0.5) last[1] = second
    else sounds.push([second, second])
  }
  return sounds
}

const launchers = await presentLaunchers()

describe('each sound stands where a player plays it', { timeout: 120_000 }, () => {
  let folder: ScratchFolder
  const codecs: [string, FfmpegCodec][] = launchers.map(([name, launcher]) => [name, codecOver(launcher)])
  const rows: string[] = []

  beforeAll(async () => {
    folder = await ScratchFolder.create()
  })
  afterAll(async () => {
    await Promise.all(codecs.map(([, codec]) => codec.close()))
    const table = process.env['SVC_AUDIO_TIME_LINES']
    if (table !== undefined) await writeFile(table, rows.join('\n'))
    await folder.remove()
  })

  test.for(CASES)('$name', async ({ name, args, inputs = PCM, first, sounds, duration }) => {
    const source = first === undefined ? tone(SOUND_SECONDS) : await transcode(tone(SOUND_SECONDS), first)
    const path = await folder.write(await transcode(source, args, inputs))
    for (const [launcher, codec] of codecs) {
      let end: DecodedFile | undefined
      const found = soundsOf(await collect(codec.decode(path, { onEnd: (file) => (end = file) })))
      const shown = found.flat().map((second) => second.toFixed(2))
      rows.push(
        `${name} | ${launcher} | ${sounds.flat().join(' ')} | ${shown.join(' ')} | ${duration} | ${end?.durationSeconds}`,
      )
      expect(found).toHaveLength(sounds.length)
      const errors = found.flat().map((second, index) => Math.abs(second - (sounds.flat()[index] ?? 0)))
      expect(Math.max(...errors)).toBeLessThan(TOLERANCE)
      expect(Math.abs((end?.durationSeconds ?? 0) - duration)).toBeLessThan(TOLERANCE)
      expect(end?.endsEarly).toBe(false)
    }
  })
})
