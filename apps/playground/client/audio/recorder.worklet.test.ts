import { beforeEach, expect, test, vi } from 'vitest'
import type { RecorderOutput } from './recorder.worklet.ts'

interface Processor {
  process(inputs: Float32Array[][]): boolean
}

let posted: { readonly message: RecorderOutput; readonly moved: readonly ArrayBuffer[] }[]
let recorder: Processor

class Scope {
  readonly port = {
    postMessage: (message: RecorderOutput, moved: ArrayBuffer[]) => void posted.push({ message, moved }),
  }
}

beforeEach(async () => {
  vi.resetModules()
  posted = []
  // 25 blocks per second: 4 frames each.
  vi.stubGlobal('sampleRate', 100)
  vi.stubGlobal('AudioWorkletProcessor', Scope)
  vi.stubGlobal('registerProcessor', (_name: string, Processor: new () => Processor) => {
    recorder = new Processor()
  })
  await import('./recorder.worklet.ts')
})

const record = (...channels: number[][]): boolean =>
  recorder.process([channels.map((samples) => Float32Array.from(samples))])

test('samples are posted together, 25 times a second, with their level', () => {
  record([0.5, -0.5])
  expect(posted).toHaveLength(0)
  record([1, 0])
  expect(posted).toHaveLength(1)
  const { samples, level } = posted[0]?.message ?? {}
  expect([...(samples ?? [])]).toEqual([0.5, -0.5, 1, 0])
  expect(level).toEqual({ rms: Math.sqrt(1.5 / 4), peak: 1 })
})

test('the memory of the samples is moved, not copied', () => {
  record([1, 2, 3, 4])
  expect(posted[0]?.moved).toEqual([posted[0]?.message.samples.buffer])
})

test('two channels are mixed to one', () => {
  record([1, 0, -1, 0.5], [0, 0, -1, -0.5])
  expect([...(posted[0]?.message.samples ?? [])]).toEqual([0.5, 0, -1, 0])
})

test('no sample is lost or posted twice, whatever the size of the blocks', () => {
  const sizes = [3, 3, 5, 1, 128, 2]
  let next = 0
  for (const size of sizes) record(Array.from({ length: size }, () => next++))
  const rest = posted.flatMap(({ message }) => [...message.samples])
  expect(rest).toEqual(rest.map((_, index) => index))
  expect(next - rest.length).toBeLessThan(4)
})

test('a microphone that is not connected yet records nothing, and the recorder stays', () => {
  expect(recorder.process([])).toBe(true)
  expect(recorder.process([[]])).toBe(true)
  expect(record([1, 1, 1, 1])).toBe(true)
  expect(posted).toHaveLength(1)
})

test('no input is silence once the microphone is connected, as Firefox hands over a silent track: the length stays', () => {
  record([1, 1])
  expect(recorder.process([[]])).toBe(true)
  expect(posted.flatMap(({ message }) => Array.from(message.samples))).toEqual([1, 1, 0, 0])
})

test('each block has its own level', () => {
  record([1, 1, 1, 1])
  record([0, 0, 0, 0])
  expect(posted.map(({ message }) => message.level)).toEqual([
    { rms: 1, peak: 1 },
    { rms: 0, peak: 0 },
  ])
})
