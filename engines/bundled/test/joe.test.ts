import type { SpeechEngine, Synthesis } from '@svc-audio/engine-ports'
import { speechContract } from '@svc-audio/engine-ports/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createJoeEngine, cutWindows } from '../src/joe/joe-engine.ts'

const TEXT = 'Yes. No.'

let joe: SpeechEngine

beforeAll(() => {
  joe = createJoeEngine({ workers: 1 })
})

afterAll(() => joe.close())

/** The engine of this file, as one of its own: loading the voice takes a second. */
async function lent(): Promise<SpeechEngine> {
  let isClosed = false
  return {
    ...joe,
    async synthesize(request, options) {
      if (isClosed) throw new Error('closed')
      return joe.synthesize(request, options)
    },
    async close() {
      isClosed = true
    },
  }
}

describe('joe keeps the contract of speech', () => {
  test.each(speechContract)('$name', async ({ run }) => {
    await expect(run({ create: lent, text: TEXT, unspeakable: '… !' })).resolves.toBeUndefined()
  })
})

/** Reads speech to its end. */
async function pcmOf({ chunks }: Synthesis): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return Buffer.concat(parts)
}

async function speak(text: string, speed: number = 1): Promise<Buffer> {
  return pcmOf(await joe.synthesize({ text, voiceId: 'joe', speed }))
}

describe('joe', () => {
  test('the same text has the same sound', async () => {
    expect((await speak(TEXT)).equals(await speak(TEXT))).toBe(true)
  })

  test('five texts at once have the sound that each has alone', async () => {
    const texts = ['One.', 'Two, three.', 'The fourth is longer than one window of sound.', 'Five.', 'Six and seven.']
    const alone: Buffer[] = []
    for (const text of texts) alone.push(await speak(text))
    const together = await Promise.all(texts.map((text) => speak(text)))
    expect(together.map((pcm, index) => pcm.equals(alone[index] ?? Buffer.alloc(0)))).toEqual(texts.map(() => true))
  })

  test('the length follows the speed: to a hundredth when slow, to a twentieth at four times', async () => {
    const text = 'The train to the coast leaves at seven in the morning.'
    const [plain, fast, slow] = [await speak(text), await speak(text, 4), await speak(text, 0.5)]
    expect((4 * fast.length) / plain.length).toBeCloseTo(1, 1)
    expect(slow.length / plain.length / 2).toBeCloseTo(1, 2)
  })

  test('an expected duration is met without speaking twice', async () => {
    const request = { text: TEXT, voiceId: 'joe', expectedDurationSeconds: 4 }
    expect((await pcmOf(await joe.synthesize(request))).length / 2 / 22_050).toBeCloseTo(4, 2)
  })

  test('the first sound comes before the sentence is made', async () => {
    const jobs: number[] = []
    const text = 'It was the best of times, it was the worst of times, it was the age of wisdom and of foolishness.'
    const { chunks } = await joe.synthesize(
      { text, voiceId: 'joe' },
      {
        turns: (cost, _signal, work) => {
          jobs.push(cost)
          return work({ background: false })
        },
      },
    )
    for await (const chunk of chunks) {
      expect(chunk.length).toBeGreaterThan(0)
      break
    }
    // The plan, the first window and the one after it.
    expect(jobs).toHaveLength(3)
  })

  test('a closed engine ends its work and refuses more', async () => {
    const engine = createJoeEngine({ workers: 1 })
    const { chunks } = await engine.synthesize({ text: TEXT, voiceId: 'joe' })
    const reading = chunks[Symbol.asyncIterator]().next()
    await Promise.all([engine.close(), expect(reading).rejects.toThrow('closed')])
    await engine.close()
  })

  test('there is at least one thread', () => {
    expect(() => createJoeEngine({ workers: 0 })).toThrow(RangeError)
  })
})

test('windows of a sentence follow each other, and none is short', () => {
  expect(cutWindows(30)).toEqual([[0, 30]])
  expect(cutWindows(150)).toEqual([
    [0, 40],
    [40, 150],
  ])
  expect(cutWindows(500)).toEqual([
    [0, 40],
    [40, 120],
    [120, 360],
    [360, 500],
  ])
  expect(cutWindows(0)).toEqual([])
})
