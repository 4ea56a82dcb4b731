import { ConfigurationError } from '@svc-audio/core'
import { describe, expect, test } from 'vitest'
import { detectUtterances, type DetectUtterancesOptions } from './detect-utterances.ts'
import { sileroSpeech } from './silero.ts'
import type { SpeechDetection } from './speech-detector.ts'

const RATE = 16_000
const FORMAT = { sampleRate: RATE, channels: 1, bitDepth: 16 }

/** A sound of so many seconds, as 16-bit PCM. It is loud for 150 ms and soft for 60, as syllables are. */
function speech(seconds: number, level = 0.3): Int16Array {
  return Int16Array.from({ length: seconds * RATE }, (_, index) => {
    const isGap = (index / RATE) % 0.21 > 0.15
    return Math.sin(index / 20) * level * (isGap ? 0.01 : 1) * 0x7f_ff
  })
}

/** The noise of a room. */
function room(seconds: number, level = 0.002): Int16Array {
  let seed = 1
  return Int16Array.from({ length: seconds * RATE }, () => {
    seed = (seed * 16_807) % 2_147_483_647
    return (seed / 1_073_741_823 - 1) * level * 0x7f_ff
  })
}

const muted = (seconds: number): Int16Array => new Int16Array(seconds * RATE)

/** Hands the parts over in pieces of odd sizes. */
async function* microphone(...parts: readonly Int16Array[]): AsyncGenerator<Uint8Array> {
  const all = Buffer.concat(parts.map(({ buffer }) => new Uint8Array(buffer)))
  for (let at = 0; at < all.byteLength; at += 777) yield all.subarray(at, at + 777)
}

/** The sounds of these tests are tones: a detector of speech hears none in them. */
const LOUDNESS = { speech: 'loudness' } as const

/** Lengths of the utterances, in seconds. */
async function utterances(
  parts: readonly Int16Array[],
  options: Omit<DetectUtterancesOptions, 'format'> = {},
): Promise<number[]> {
  const lengths: number[] = []
  for await (const utterance of detectUtterances(microphone(...parts), { format: FORMAT, ...LOUDNESS, ...options })) {
    let bytes = 0
    for await (const piece of utterance) bytes += piece.byteLength
    lengths.push(Math.round((bytes / 2 / RATE) * 10) / 10)
  }
  return lengths
}

test('an utterance begins a little before the sound and ends with the pause', async () => {
  // 0.3 s before, 1.5 s of speech, 0.6 s of pause
  expect(await utterances([room(1), speech(1.5), room(2)])).toEqual([2.4])
})

test('a shorter pause does not end an utterance, and pauseSeconds says how long one is', async () => {
  const parts = [room(1), speech(1), room(0.4), speech(1), room(2)]
  expect(await utterances(parts)).toHaveLength(1)
  expect(await utterances(parts, { pauseSeconds: 0.3 })).toHaveLength(2)
})

test('a click is no utterance, and soundSeconds says how long a sound is', async () => {
  const parts = [room(1), speech(0.06), room(1)]
  expect(await utterances(parts)).toEqual([])
  expect(await utterances(parts, { soundSeconds: 0.04 })).toHaveLength(1)
})

test('speech without end is cut into utterances of maxSeconds, and nothing of it is lost', async () => {
  const lengths = await utterances([room(0.5), speech(5), room(1)], { maxSeconds: 2 })
  expect(lengths.slice(0, 2)).toEqual([2, 2])
  expect(lengths).toHaveLength(3)
})

test('a room, a louder room and digital silence are no utterances', async () => {
  expect(await utterances([muted(1), room(5, 0.002), muted(3), room(2, 0.004)])).toEqual([])
})

test('speech over a loud room is found, and steady music becomes the room', async () => {
  expect(await utterances([room(2, 0.02), speech(1), room(2, 0.02)])).toHaveLength(1)
  const [first = 0, ...rest] = await utterances([room(1), room(20, 0.1)])
  expect(rest).toEqual([])
  expect(first).toBeLessThan(9)
})

test('speech after digital silence is measured against the room before it', async () => {
  expect(await utterances([room(2, 0.02), muted(3), room(3, 0.02), speech(1), room(1, 0.02)])).toHaveLength(1)
})

test('the microphone is read no faster than the utterances', async () => {
  let read = 0
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const piece of microphone(room(1), speech(3), room(1))) {
      read += piece.byteLength
      yield piece
    }
  }
  for await (const utterance of detectUtterances(counted(), { format: FORMAT, ...LOUDNESS })) {
    await utterance.next()
    expect(read / 2 / RATE).toBeLessThan(1.2)
    break
  }
})

test('the end of the microphone ends an utterance', async () => {
  expect(await utterances([room(1), speech(1)])).toEqual([1.3])
})

describe('other people who talk', () => {
  /** Softer speech than that of the user, by so many dB. */
  const others = (seconds: number, below: number): Int16Array => speech(seconds, 0.3 * 10 ** (-below / 20))
  /** Mixes sounds. */
  const over = (one: Int16Array, other: Int16Array, second: number): Int16Array =>
    one.map((sample, index) => sample + (other[index - second * RATE] ?? 0))

  test.each([18, 24, 30])(
    '%d dB below the user do not hold the end of an utterance, and begin none after it',
    async (below) => {
      const lengths = await utterances([room(1), speech(1.5), others(8, below)])
      expect(lengths).toEqual([2.4])
    },
  )

  test('begin no utterance while an answer of half a minute is spoken', async () => {
    const talk = others(28, 20)
    expect(await utterances([room(1), speech(1), room(0.7), talk])).toHaveLength(1)
    expect(await utterances([room(1), speech(1), room(0.7), talk, talk])).not.toHaveLength(1)
  })

  test('do not keep the user from being heard again, also when the user is softer', async () => {
    const parts = [room(1), speech(1.5), others(3, 24), speech(1.5, 0.12), others(3, 24)]
    expect(await utterances(parts)).toHaveLength(2)
  })

  test('are heard when they are the only ones, and the user’s own speech begins behind them', async () => {
    const talk = over(others(6, 24), speech(1.5), 3)
    const found: { speechStart: number; seconds: number }[] = []
    for await (const utterance of detectUtterances(microphone(room(1), talk, room(2)), {
      format: FORMAT,
      ...LOUDNESS,
    })) {
      let bytes = 0
      for await (const piece of utterance) bytes += piece.byteLength
      found.push({ speechStart: utterance.speechStart / 2 / RATE, seconds: bytes / 2 / RATE })
    }
    expect(found).toHaveLength(1)
    // 0.3 s before the others, 3 s of them, less half a second.
    expect(found[0]?.speechStart).toBeCloseTo(2.8, 0)
    expect(found[0]?.seconds).toBeCloseTo(5.4, 0)
  })

  test('are heard after an utterance that was none of the user’s', async () => {
    const parts = [room(1), speech(0.5, 0.9), room(1), others(2, 20), room(1)]
    const lengths: number[] = []
    for await (const utterance of detectUtterances(microphone(...parts), { format: FORMAT, ...LOUDNESS })) {
      let bytes = 0
      for await (const piece of utterance) bytes += piece.byteLength
      utterance.reject()
      lengths.push(bytes)
    }
    expect(lengths).toHaveLength(2)
  })
})

describe('a detector of speech', () => {
  /** Judges a frame by its loudest sample. */
  const detection = (judge: (peak: number) => number): SpeechDetection => ({
    name: 'peaks',
    open: async () => ({ judge: async (frame) => judge(Math.max(...frame)) }),
  })

  test('decides, however loud a sound is', async () => {
    const parts = [room(1), speech(1, 0.5), room(1), speech(1, 0.2), room(1)]
    const soft = detection((peak) => (peak > 3000 && peak < 8000 ? 0.9 : 0.1))
    expect(await utterances(parts, { speech: soft })).toHaveLength(1)
    expect(await utterances(parts, { speech: detection(() => 0) })).toEqual([])
  })

  test('gets frames of 512 samples at 16 kHz, whatever the rate of the microphone', async () => {
    const lengths = new Set<number>()
    const speech48: SpeechDetection = {
      name: 'lengths',
      open: async () => ({ judge: async (frame) => (lengths.add(frame.length), 0) }),
    }
    const format = { ...FORMAT, sampleRate: 48_000 }
    for await (const utterance of detectUtterances(microphone(speech(1)), { format, speech: speech48 })) void utterance
    expect([...lengths]).toEqual([512])
  })

  test('is not asked about a quiet room, and about every frame of an utterance', async () => {
    let asked = 0
    const count: SpeechDetection = {
      name: 'counts',
      open: async () => ({
        judge: async (frame) => ((asked += 1), Math.max(...frame) > 3000 ? 1 : 0),
      }),
    }
    expect(await utterances([room(10)], { speech: count })).toEqual([])
    expect(asked).toBeLessThan(60)
    asked = 0
    expect(await utterances([room(1), speech(2), room(1)], { speech: count })).toHaveLength(1)
    expect(asked).toBeGreaterThan(70)
  })

  test('is Silero by default: a tone and noise are no speech', async () => {
    const tone = Int16Array.from({ length: 2 * RATE }, (_, index) => Math.sin(index / 5) * 12_000)
    expect(await utterances([room(1), tone, room(1), room(1, 0.3), room(1)], { speech: sileroSpeech() })).toEqual([])
  })
})

test.each(['return', 'throw'] as const)('%s() before the first frame of an utterance ends it', async (leave) => {
  const found: number[] = []
  // A loud utterance, and one that is softer than other people beside the first one would be.
  const parts = [room(1), speech(0.12, 0.9), room(1), speech(1, 0.05), room(1)]
  for await (const utterance of detectUtterances(microphone(...parts), { format: FORMAT, ...LOUDNESS })) {
    if (found.length === 0) await utterance[leave](new Error('gone')).catch(() => {})
    let frames = 0
    for await (const piece of utterance) frames += piece.byteLength > 0 ? 1 : 0
    utterance.reject()
    found.push(frames)
  }
  expect(found).toHaveLength(2)
  expect(found[0]).toBe(0)
})

test('an utterance tells how long its user has been silent', async () => {
  const quiet: number[] = []
  const parts = [room(1), speech(1), room(0.4), speech(1), room(2)]
  for await (const utterance of detectUtterances(microphone(...parts), { format: FORMAT, ...LOUDNESS })) {
    for await (const piece of utterance) {
      void piece
      quiet.push(utterance.quietSeconds)
    }
  }
  expect(quiet.filter((seconds, index) => seconds === 0 && (quiet[index - 1] ?? 0) > 0.3)).toHaveLength(1)
  expect(quiet.at(-1)).toBeCloseTo(0.6, 1)
})

test.each<[message: string, options: object]>([
  ['`format.channels` must be 1', { format: { ...FORMAT, channels: 2 } }],
  ['`format.bitDepth` must be 16', { format: { ...FORMAT, bitDepth: 24 } }],
  ['`pauseSeconds` must be a number of seconds greater than 0', { format: FORMAT, pauseSeconds: 0 }],
  ["`speech` must be 'loudness', or a detection of speech", { format: FORMAT, speech: 'silero' }],
  ['Unknown option `pause`', { format: FORMAT, pause: 1 }],
])('a wrong option is refused at once: %s', (message, options) => {
  const detect = (): unknown => detectUtterances(microphone(), options as DetectUtterancesOptions)
  expect(detect).toThrow(ConfigurationError)
  expect(detect).toThrow(message)
})
