import { expect, test } from 'vitest'
import { smjpeg } from '../../../test/codec/smjpeg.ts'
import { FrameParser } from './decoded-frames.ts'

const FILE = smjpeg(
  [
    { milliseconds: -23, samples: 'ab' },
    { milliseconds: 70_000, samples: 'cdef' },
  ],
  2,
)

test('frames have their time, their channels and their samples', () => {
  const frames = new FrameParser().read(FILE)
  expect(frames.map(({ milliseconds, channels }) => [milliseconds, channels])).toEqual([
    [-23, 2],
    [70_000, 2],
  ])
  expect(frames.map(({ samples }) => samples.toString())).toEqual(['ab', 'cdef'])
})

test('pieces of any length give the same frames', () => {
  for (let size = 1; size < FILE.byteLength; size += 1) {
    const parser = new FrameParser()
    const read: string[] = []
    for (let at = 0; at < FILE.byteLength; at += size) {
      for (const { samples } of parser.read(FILE.subarray(at, at + size))) read.push(samples.toString())
    }
    expect(read).toEqual(['ab', 'cdef'])
  }
})

test('other bytes are refused', () => {
  expect(() => new FrameParser().read(Buffer.alloc(100))).toThrow('ffmpeg did not write SMJPEG')
})
