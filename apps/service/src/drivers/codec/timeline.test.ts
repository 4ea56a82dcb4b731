import { describe, expect, test } from 'vitest'
import type { DecodedFrame } from './decoded-frames.ts'
import { Timeline, type TimelineOptions } from './timeline.ts'

const TIMED: TimelineOptions = { isTimed: true, lead: 0, stated: undefined }

/** A tenth of a second of one value in each channel. */
function frame(milliseconds: number, ...channels: readonly number[]): DecodedFrame {
  const samples = new Int16Array(1600 * channels.length)
  for (let index = 0; index < samples.length; index += 1) samples[index] = channels[index % channels.length] ?? 0
  return { milliseconds, channels: channels.length, samples: Buffer.from(samples.buffer) }
}

/** The value of each tenth of a second. */
function tenths(timeline: Timeline, ...frames: readonly DecodedFrame[]): number[] {
  const pcm = Buffer.concat([...timeline.place(frames)])
  return Array.from({ length: pcm.byteLength / 3200 }, (_, index) => pcm.readInt16LE(3200 * index))
}

describe('a time line', () => {
  test('starts with silence when the sound starts late', () => {
    expect(tenths(new Timeline(TIMED), frame(300, 5))).toEqual([0, 0, 0, 5])
  })

  test('has silence in each gap, in one call and between calls', () => {
    const timeline = new Timeline(TIMED)
    expect(tenths(timeline, frame(0, 5), frame(300, 6))).toEqual([5, 0, 0, 6])
    expect(tenths(timeline, frame(600, 7))).toEqual([0, 0, 7])
    expect(timeline.seconds).toBeCloseTo(0.7)
  })

  test('ignores jitter of less than 0.1 s, also when it lasts', () => {
    expect(tenths(new Timeline(TIMED), frame(0, 5), frame(190, 6), frame(290, 7))).toEqual([5, 6, 7])
  })

  test('drops nothing when times go back, as in joined files', () => {
    expect(tenths(new Timeline(TIMED), frame(0, 5), frame(100, 6), frame(0, 7), frame(100, 8))).toEqual([5, 6, 7, 8])
  })

  test('ignores a time behind the stated end, which is a broken one', () => {
    expect(tenths(new Timeline({ ...TIMED, stated: 0.5 }), frame(0, 5), frame(9000, 6))).toEqual([5, 6])
  })

  test('ignores a gap of more than an hour when no end is stated', () => {
    expect(tenths(new Timeline(TIMED), frame(0, 5), frame(3_700_000, 6))).toEqual([5, 6])
  })

  test('begins at the zero of the file, before its first packet', () => {
    expect(tenths(new Timeline({ ...TIMED, lead: 0.2, stated: 1 }), frame(0, 5))).toEqual([0, 0, 5])
  })

  test('of a file without times is its sound', () => {
    expect(tenths(new Timeline({ ...TIMED, isTimed: false }), frame(500, 5), frame(900, 6))).toEqual([5, 6])
  })
})

describe('two channels', () => {
  test('are mixed', () => {
    expect(tenths(new Timeline(TIMED), frame(0, 1000, 2000))).toEqual([1500])
    expect(tenths(new Timeline(TIMED), frame(0, 0, 2000))).toEqual([1000])
  })

  test('become the first one alone while they cancel each other out', () => {
    expect(tenths(new Timeline(TIMED), frame(0, 1000, -1000), frame(100, 900, -950))).toEqual([1000, 900])
  })

  test('that partly cancel each other out are mixed', () => {
    expect(tenths(new Timeline(TIMED), frame(0, 1000, -500))).toEqual([250])
  })
})
