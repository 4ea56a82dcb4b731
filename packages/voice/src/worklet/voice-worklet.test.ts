import { createContext, runInContext } from 'node:vm'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { MICROPHONE, type MicrophoneFrame, PLAYER, type PlayerInput, type PlayerReport } from './messages.ts'

/** Frames per second of the stubbed context. A report comes every 800 frames. */
const RATE = 16_000

interface Processor {
  process(inputs: Float32Array[][], outputs: Float32Array[][]): boolean
}

let take: (message: PlayerInput) => void
let reports: PlayerReport[]
let frames: MicrophoneFrame[]
let processors: Map<string, Processor>

class Scope {
  readonly port = {
    addEventListener: (_name: string, listener: (event: { data: PlayerInput }) => void) => {
      take = (data) => listener({ data })
    },
    start: () => {},
    postMessage: (message: PlayerReport | MicrophoneFrame) =>
      void ('turn' in message ? reports.push(message) : frames.push(message)),
  }
}

beforeEach(async () => {
  vi.resetModules()
  reports = []
  frames = []
  processors = new Map()
  vi.stubGlobal('sampleRate', RATE)
  vi.stubGlobal('AudioWorkletProcessor', Scope)
  vi.stubGlobal('registerProcessor', (name: string, Kind: new () => Processor) => void processors.set(name, new Kind()))
  await import('./voice-worklet.ts')
})

/** Plays frames. @returns the samples, as 16-bit integers */
function play(count: number): number[] {
  const output = [new Float32Array(count), new Float32Array(count)]
  expect(processors.get(PLAYER)?.process([], [output])).toBe(true)
  expect(output[1]).toEqual(output[0])
  return [...(output[0] ?? [])].map((sample) => Math.round(sample * 0x80_00))
}

const audio = (...samples: number[]): PlayerInput => ({
  type: 'audio',
  pcm: Int16Array.from(samples).buffer,
  sampleRate: RATE,
  channels: 1,
})

describe('the player', () => {
  test('plays pieces in order, over their borders, and silence when there is none', () => {
    take(audio(1, 2, 3))
    take(audio(4))
    expect(play(2)).toEqual([1, 2])
    expect(play(4)).toEqual([3, 4, 0, 0])
  })

  test('a pause holds the position, and resume continues with the next sample', () => {
    take(audio(1, 2, 3, 4))
    play(1)
    take({ type: 'pause' })
    expect(play(3)).toEqual([0, 0, 0])
    expect(reports.at(-1)).toMatchObject({ played: 1 / RATE, queued: 3 / RATE })
    take({ type: 'resume' })
    expect(play(3)).toEqual([2, 3, 4])
  })

  test('a flush drops what waits, ends a pause, and counts the new turn from 0', () => {
    take(audio(1, 2, 3, 4))
    play(1)
    take({ type: 'pause' })
    take({ type: 'flush', turn: 7 })
    expect(play(2)).toEqual([0, 0])
    take(audio(9))
    expect(play(1)).toEqual([9])
    play(800)
    expect(reports.at(-1)).toMatchObject({ turn: 7, played: 1 / RATE, queued: 0, pieces: 1 })
  })

  test('reports position, gaps and loudness 20 times a second', () => {
    take(audio(...Array<number>(400).fill(0x40_00)))
    play(400)
    play(100)
    take(audio(...Array<number>(300).fill(0)))
    play(300)
    expect(reports).toHaveLength(1)
    expect(reports[0]).toMatchObject({ turn: 0, played: 700 / RATE, queued: 0, pieces: 2, starved: 100 })
    expect(reports[0]?.level).toBeCloseTo(Math.sqrt(0.125), 5)
  })

  test('a pause and the silence after the end are no gaps', () => {
    take(audio(...Array<number>(800).fill(1)))
    play(400)
    take({ type: 'pause' })
    play(400)
    take({ type: 'resume' })
    play(400)
    play(1600)
    expect(reports.at(-1)).toMatchObject({ starved: 0 })
  })

  test('the position reaches the length of the audio, also where its rate is converted', () => {
    for (const rate of [8000, 22_050, 44_100, 48_000]) {
      take({ type: 'flush', turn: rate })
      take({ ...audio(...Array<number>(rate / 2).fill(1000)), sampleRate: rate } as PlayerInput)
      play(4000)
      expect(reports.at(-1)?.played).toBeCloseTo(0.25, 2)
      play(6000)
      expect(reports.at(-1)).toMatchObject({ turn: rate, played: 0.5, queued: 0 })
    }
  })

  test('two channels become one, and other rates are converted', () => {
    take({ ...audio(100, 300, 100, 300), channels: 2 } as PlayerInput)
    expect(play(2)).toEqual([200, 200])
    take({ type: 'flush', turn: 1 })
    take({ ...audio(...Array<number>(800).fill(1000)), sampleRate: 8000 } as PlayerInput)
    const samples = play(1600)
    expect(samples.slice(400, 1200).every((sample) => Math.abs(sample - 1000) < 5)).toBe(true)
  })
})

describe('the microphone', () => {
  const record = (...channels: Float32Array[]): void => {
    expect(processors.get(MICROPHONE)?.process([channels], [])).toBe(true)
  }

  test('is posted in frames of 20 ms with their loudness, mixed to one channel', () => {
    record(new Float32Array(500).fill(0.5), new Float32Array(500).fill(0))
    expect(frames).toHaveLength(1)
    const samples = new Int16Array(frames[0]?.pcm ?? new ArrayBuffer(0))
    expect(samples).toHaveLength(320)
    expect(samples[200]).toBe(Math.round(0.25 * 0x7f_ff))
    expect(frames[0]?.level).toBeCloseTo(0.25, 1)
  })

  test('clips what is too loud, and waits while it is not connected', () => {
    record()
    record(new Float32Array(400).fill(3))
    expect(new Int16Array(frames[0]?.pcm ?? new ArrayBuffer(0))[200]).toBe(0x7f_ff)
  })

  test('is silence when its input goes away, as Firefox hands over a silent track: the end of speech is heard', () => {
    const microphone = processors.get(MICROPHONE)
    microphone?.process([[new Float32Array(128).fill(0.5)]], [])
    for (let block = 0; block < 9; block += 1) expect(microphone?.process([[]], [])).toBe(true)
    expect(frames.map(({ level }) => level > 0)).toEqual([true, false, false])
  })
})

test('the string that pages load is the code of the worklet', async () => {
  const { bundleWorklet } = await import('../../write-worklet.ts')
  const { WORKLET_SOURCE } = await import('../browser/worklet-source.ts')
  // Run `npx -y pnpm@12 build` after a change of the worklet, and commit the string.
  expect(WORKLET_SOURCE).toBe(await bundleWorklet())
})

test('the bundled worklet loads where only the globals of an AudioWorklet exist, and registers both processors', async () => {
  const { WORKLET_SOURCE } = await import('../browser/worklet-source.ts')
  const names: string[] = []
  // A new context has the language's own globals and no others: no TextEncoder, no URL, no fetch.
  const scope = createContext({
    sampleRate: 48_000,
    AudioWorkletProcessor: Object,
    registerProcessor: (name: string) => names.push(name),
  })
  runInContext(WORKLET_SOURCE, scope)
  expect(names).toEqual(['svc-audio-microphone', 'svc-audio-player'])
})
