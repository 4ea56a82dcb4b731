import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { PlayerInput, PlayerOutput } from './player.worklet.ts'

/** Frames per second of the stubbed context: a report every 4 frames, a tail of 20 frames. */
const RATE = 100
const NOW = 1_700_000_000_000

interface Processor {
  process(inputs: Float32Array[][], outputs: Float32Array[][]): boolean
}

let take: (message: PlayerInput) => void
let reports: PlayerOutput[]
let player: Processor

class Scope {
  readonly port = {
    addEventListener: (_name: string, listener: (event: { data: PlayerInput }) => void) => {
      take = (data) => listener({ data })
    },
    start: () => {},
    postMessage: (message: PlayerOutput) => void reports.push(message),
  }
}

beforeEach(async () => {
  vi.resetModules()
  reports = []
  vi.spyOn(Date, 'now').mockReturnValue(NOW)
  vi.stubGlobal('sampleRate', RATE)
  vi.stubGlobal('AudioWorkletProcessor', Scope)
  vi.stubGlobal('registerProcessor', (_name: string, Processor: new () => Processor) => {
    player = new Processor()
  })
  await import('./player.worklet.ts')
})

/** Plays frames. @returns the samples of the first channel */
function play(frames: number, channels = 1): number[] {
  const output = Array.from({ length: channels }, () => new Float32Array(frames))
  expect(player.process([], [output])).toBe(true)
  return [...(output.at(-1) ?? [])]
}

const audio = (...channels: number[][]): PlayerInput => ({
  type: 'audio',
  channels: channels.map((samples) => Float32Array.from(samples)),
})
const types = (): string[] => reports.map(({ type }) => type)

describe('audio', () => {
  test('is played in order over the borders of its chunks', () => {
    take(audio([1, 2, 3]))
    take(audio([4]))
    take(audio([5, 6, 7, 8]))
    expect([play(2), play(4), play(2)]).toEqual([
      [1, 2],
      [3, 4, 5, 6],
      [7, 8],
    ])
  })

  test('of two channels is played on both, and of one channel on every output', () => {
    take(audio([1, 2], [3, 4]))
    take(audio([5, 6]))
    expect(play(4, 2)).toEqual([3, 4, 5, 6])
  })

  test('that is late is silence, and then goes on where it was', () => {
    take(audio([1, 2]))
    expect(play(4)).toEqual([1, 2, 0, 0])
    expect(play(4)).toEqual([0, 0, 0, 0])
    take(audio([3, 4]))
    expect(play(2)).toEqual([3, 4])
    expect(reports.at(-1)).toMatchObject({ played: 2, starved: 6 })
  })

  test('has an empty chunk in it without harm', () => {
    take(audio([]))
    take(audio([1]))
    expect(play(2)).toEqual([1, 0])
  })
})

describe('reports', () => {
  test('begin with the first sample, not with the silence before it', () => {
    play(8)
    expect(types()).toEqual(['position', 'position'].slice(0, types().length))
    expect(reports.every(({ starved }) => starved === 0)).toBe(true)
    reports = []
    take(audio([1, 2, 3, 4]))
    play(2)
    expect(reports[0]).toEqual({ type: 'start', generation: 0, played: 2, queued: 2, starved: 0, at: NOW })
  })

  test('come 25 times a second', () => {
    take(audio(Array.from({ length: RATE }, () => 0.5)))
    for (let frame = 0; frame < RATE; frame += 2) play(2)
    expect(types().filter((type) => type === 'position').length).toBeGreaterThanOrEqual(24)
    expect(types().filter((type) => type === 'position').length).toBeLessThanOrEqual(26)
    expect(types().filter((type) => type === 'start')).toHaveLength(1)
  })
})

test('a pause holds the position, and neither plays nor reports', () => {
  take(audio([1, 2, 3]))
  play(1)
  take({ type: 'pause', paused: true })
  const before = reports.length
  expect(play(40)).toEqual(Array.from({ length: 40 }, () => 0))
  expect(reports).toHaveLength(before)
  take({ type: 'pause', paused: false })
  expect(play(2)).toEqual([2, 3])
})

test('a flush drops the queue and counts from zero, under its own number', () => {
  take(audio([1, 2, 3, 4, 5]))
  play(4)
  take({ type: 'flush', generation: 7 })
  reports = []
  take(audio([9, 8]))
  expect(play(2)).toEqual([9, 8])
  expect(reports[0]).toEqual({ type: 'start', generation: 7, played: 2, queued: 0, starved: 0, at: NOW })
})

describe('the end', () => {
  test('the end is reported once, after a fifth of a second of silence', () => {
    take(audio([1, 2]))
    take({ type: 'end' })
    play(2)
    expect(types()).not.toContain('end')
    play(10)
    expect(types()).not.toContain('end')
    play(10)
    expect(reports.at(-1)).toMatchObject({ type: 'end', played: 2, queued: 0, starved: 0 })
    play(40)
    expect(types().filter((type) => type === 'end')).toHaveLength(1)
  })

  test('the end can be followed by a flush, which plays again to another end', () => {
    take(audio([1]))
    take({ type: 'end' })
    play(30)
    take({ type: 'flush', generation: 1 })
    take(audio([5]))
    expect(play(1)).toEqual([5])
    take({ type: 'end' })
    play(30)
    expect(reports.filter(({ type }) => type === 'end').map(({ generation }) => generation)).toEqual([0, 1])
  })

  test('the end of a track without audio is an end too', () => {
    take({ type: 'end' })
    play(30)
    expect(types()).toEqual(['end'])
  })
})

test('a stopped player is freed by the context', () => {
  take(audio([1]))
  take({ type: 'stop' })
  const output = [new Float32Array(2)]
  expect(player.process([], [output])).toBe(false)
  expect([...(output[0] ?? [])]).toEqual([0, 0])
})
