import { describe, expect, test } from 'vitest'
import type { SpeechStep } from './plan-speech.ts'
import { fitTiming, makeAhead, renderSpeech, type Speak, type SpeechLength } from './render-speech.ts'

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = []
  for await (const item of items) collected.push(item)
  return collected
}

/** Speaks each letter for 1,000 frames at stretch 1, always `late` frames more than planned, with samples of 0x0101. */
function speaker(late = 0): { readonly speak: Speak; readonly calls: [string, number][] } {
  const calls: [string, number][] = []
  return {
    calls,
    speak: async (text, stretch) => {
      calls.push([text, stretch])
      return new Uint8Array(2 * Math.round(text.length * 1000 * stretch + (stretch === 1 ? 0 : late))).fill(1)
    },
  }
}

async function render(steps: readonly SpeechStep[], length: SpeechLength, speak: Speak): Promise<Uint8Array[]> {
  return collect(renderSpeech(steps, length, speak, 16_000))
}

/** Lengths in frames of the sounds and of the silences between them. */
function runs(chunks: readonly Uint8Array[]): number[] {
  const lengths: number[] = []
  let heard: boolean | undefined
  for (const byte of Buffer.concat(chunks)) {
    const speech = byte === 1
    if (speech !== heard) lengths.push(0)
    heard = speech
    lengths[lengths.length - 1] = (lengths.at(-1) ?? 0) + 0.5
  }
  return lengths
}

const steps: SpeechStep[] = [
  { type: 'speech', text: 'aaaaaaaa' },
  { type: 'gap', seconds: 0.5 },
  { type: 'speech', text: 'bbbb' },
  { type: 'pause', seconds: 0.1 },
  { type: 'speech', text: 'cc' },
]

describe('renderSpeech', () => {
  test('silence has the length of the given sample rate, also at the end of an expected duration', async () => {
    const pause: readonly SpeechStep[] = [{ type: 'pause', seconds: 0.5 }]
    const bytes = async (length: SpeechLength): Promise<number> =>
      Buffer.concat(await collect(renderSpeech(pause, length, speaker().speak, 24_000))).length
    expect(await bytes({ speed: 1 })).toBe(24_000)
    expect(await bytes({ expectedSeconds: 2 })).toBe(96_000)
  })

  test('speech, gaps and pauses follow each other', async () => {
    expect(runs(await render(steps, { speed: 1 }, speaker().speak))).toEqual([8000, 8000, 4000, 1600, 2000])
  })

  test('the speed changes speech and gaps, not pauses', async () => {
    const { speak, calls } = speaker()
    expect(runs(await render(steps, { speed: 2 }, speak))).toEqual([4000, 4000, 2000, 1600, 1000])
    expect(calls.map(([, stretch]) => stretch)).toEqual([0.5, 0.5, 0.5])
  })

  test('chunks are whole frames of at most 8,192 bytes', async () => {
    const chunks = await render(steps, { speed: 0.5 }, speaker().speak)
    expect(chunks.length).toBeGreaterThan(10)
    expect(chunks.every((chunk) => chunk.length > 0 && chunk.length <= 8192 && chunk.length % 2 === 0)).toBe(true)
  })

  test('at most two pieces of speech are made ahead of the reader', async () => {
    const { speak, calls } = speaker()
    const many = Array.from({ length: 20 }, (): SpeechStep => ({ type: 'speech', text: 'a' }))
    let read = 0
    for await (const chunk of renderSpeech(many, { speed: 1 }, speak, 16_000)) {
      expect(chunk).toHaveLength(2000)
      read += 1
      expect(calls.length).toBeLessThanOrEqual(read + 2)
    }
    expect(calls).toHaveLength(20)
  })

  test('an expected length is measured first and then met to the frame', async () => {
    const { speak, calls } = speaker()
    // 14,000 frames of speech, a gap of 8,000, a pause of 1,600: the first two are stretched to 42,400.
    const chunks = await render(steps, { expectedSeconds: 2.75 }, speak)
    expect(runs(chunks).reduce((sum, frames) => sum + frames, 0)).toBe(44_000)
    expect(runs(chunks)[3]).toBe(1600)
    expect(calls.map(([, stretch]) => stretch.toFixed(4))).toEqual([
      ...Array(3).fill('1.0000'),
      ...Array(3).fill('1.9273'),
    ])
  })

  test('a gap absorbs the overrun of the speech before it', async () => {
    const exact = runs(await render(steps, { expectedSeconds: 2.75 }, speaker().speak))
    const late = runs(await render(steps, { expectedSeconds: 2.75 }, speaker(300).speak))
    expect(late[1]).toBe((exact[1] ?? 0) - 300)
    expect(late[3]).toBe(1600)
  })

  test('speech that cannot be slow enough is followed by silence', async () => {
    const frames = runs(await render(steps, { expectedSeconds: 20 }, speaker().speak))
    expect(frames).toEqual([32_000, 32_000, 16_000, 1600, 8000, 320_000 - 89_600])
  })

  test('speech that cannot be fast enough is not cut', async () => {
    expect(runs(await render(steps, { expectedSeconds: 0.01 }, speaker().speak))).toEqual([2000, 2000, 1000, 1600, 500])
  })

  test('a plan of pauses is silence, filled up to the expected length', async () => {
    const pause: SpeechStep[] = [{ type: 'pause', seconds: 1 }]
    expect(runs(await render(pause, { speed: 4 }, speaker().speak))).toEqual([16_000])
    expect(runs(await render(pause, { expectedSeconds: 1.5 }, speaker().speak))).toEqual([24_000])
  })

  test('a piece may come in parts, and its length may be known before it is spoken', async () => {
    const { speak, calls } = speaker()
    const inParts: Speak = async (text, stretch) => {
      const whole = await speak(text, stretch)
      if (!(whole instanceof Uint8Array)) return whole
      return (async function* () {
        yield whole.subarray(0, 2)
        yield whole.subarray(2)
      })()
    }
    const whole = await collect(renderSpeech(steps, { expectedSeconds: 2.75 }, speak, 16_000))
    calls.length = 0
    const measure = async (text: string): Promise<number> => text.length * 1000
    const parts = await collect(renderSpeech(steps, { expectedSeconds: 2.75 }, inParts, 16_000, { measure }))
    expect(runs(parts)).toEqual(runs(whole))
    expect(calls).toHaveLength(3)
    expect(runs(await render(steps, { expectedSeconds: 2.75 }, inParts))).toEqual(runs(whole))
  })

  test('a failing piece fails the stream at its position', async () => {
    const { speak } = speaker()
    const failing: Speak = async (text, stretch) => {
      if (text === 'bbbb') throw new Error('broken')
      return speak(text, stretch)
    }
    const chunks = renderSpeech(steps, { speed: 1 }, failing, 16_000)
    const read: Uint8Array[] = []
    await expect(
      (async () => {
        for await (const chunk of chunks) read.push(chunk)
      })(),
    ).rejects.toThrow('broken')
    expect(runs(read)).toEqual([8000, 8000])
  })
})

/** Items that the test completes. */
function workshop(): {
  readonly started: number[]
  readonly make: (item: number) => Promise<string>
  readonly finish: (item: number) => void
  readonly fail: (item: number) => void
} {
  const started: number[] = []
  const making = new Map<number, PromiseWithResolvers<string>>()
  const at = (item: number): PromiseWithResolvers<string> => {
    const found = making.get(item) ?? Promise.withResolvers<string>()
    making.set(item, found)
    return found
  }
  return {
    started,
    make: async (item) => {
      started.push(item)
      return at(item).promise
    },
    finish: (item) => at(item).resolve(`made ${item}`),
    fail: (item) => at(item).reject(new Error(`failed ${item}`)),
  }
}

describe('makeAhead', () => {
  test('nothing is made before the first read', () => {
    const { started, make } = workshop()
    makeAhead([1, 2], make, 2)
    expect(started).toEqual([])
  })

  test('the first item is made alone, then two more while it is read', async () => {
    const { started, make, finish } = workshop()
    const made = makeAhead([1, 2, 3, 4, 5], make, 2)
    const first = made.next()
    expect(started).toEqual([1])
    finish(1)
    expect(await first).toEqual({ value: 'made 1', done: false })
    finish(2)
    finish(3)
    expect(started).toEqual([1, 2, 3])
    await made.next()
    expect(started).toEqual([1, 2, 3, 4])
  })

  test('items arrive in order, whichever is ready first', async () => {
    const { make, finish } = workshop()
    const made = collect(makeAhead([1, 2, 3], make, 2))
    for (const item of [3, 2, 1]) finish(item)
    expect(await made).toEqual(['made 1', 'made 2', 'made 3'])
  })

  test('with `ahead` 0 one item is made at a time', async () => {
    const { started, make, finish } = workshop()
    const made = makeAhead([1, 2], make, 0)
    finish(1)
    finish(2)
    await made.next()
    expect(started).toEqual([1])
    expect(await made.next()).toEqual({ value: 'made 2', done: false })
    expect(await made.next()).toEqual({ value: undefined, done: true })
  })

  test('a failure arrives in order, and a later one is not left unhandled', async () => {
    const { make, finish, fail } = workshop()
    const made = makeAhead([1, 2, 3], make, 2)
    finish(1)
    await made.next()
    fail(3)
    fail(2)
    await expect(made.next()).rejects.toThrow('failed 2')
    expect(await made.next()).toEqual({ value: undefined, done: true })
  })
})

const timed: SpeechStep[] = [
  { type: 'speech', text: 'One.' },
  { type: 'gap', seconds: 0.5 },
  { type: 'speech', text: 'Two.' },
  { type: 'pause', seconds: 2 },
  { type: 'speech', text: 'Three.' },
]
/** 3.5 s of speech. With the gap, 4 s can be stretched. */
const natural = [16_000, 16_000, 24_000]

describe('fitTiming', () => {
  test('frames count by the given sample rate', () => {
    expect(fitTiming([{ type: 'speech', text: 'One.' }], [48_000], 4, 24_000)).toEqual({
      stretch: 2,
      target: { totalFrames: 96_000, speechFrames: [96_000] },
    })
  })

  test('speech and gaps fill the time between pauses', () => {
    expect(fitTiming(timed, natural, 10, 16_000).stretch).toBe(2)
    expect(fitTiming(timed, natural, 6, 16_000).stretch).toBe(1)
    expect(fitTiming(timed, natural, 4, 16_000).stretch).toBe(0.5)
  })

  test('the length of each piece of speech is planned', () => {
    expect(fitTiming(timed, natural, 10, 16_000).target).toEqual({
      totalFrames: 160_000,
      speechFrames: [32_000, 32_000, 48_000],
    })
  })

  test('speech is at most four times slower or faster', () => {
    expect(fitTiming(timed, natural, 3600, 16_000).stretch).toBe(4)
    expect(fitTiming(timed, natural, 2.1, 16_000).stretch).toBe(0.25)
    expect(fitTiming(timed, natural, 1, 16_000).stretch).toBe(0.25)
  })

  test('a plan without speech is not stretched', () => {
    expect(fitTiming([{ type: 'pause', seconds: 2 }], [], 5, 16_000)).toEqual({
      stretch: 1,
      target: { totalFrames: 80_000, speechFrames: [] },
    })
  })
})
