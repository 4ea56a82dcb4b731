import { ConfigurationError } from '@svc-audio/core'
import { expect, test } from 'vitest'
import { detectUtterances, type DetectUtterancesOptions } from './detect-utterances.ts'

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

/** Lengths of the utterances, in seconds. */
async function utterances(
  parts: readonly Int16Array[],
  options: Omit<DetectUtterancesOptions, 'format'> = {},
): Promise<number[]> {
  const lengths: number[] = []
  for await (const utterance of detectUtterances(microphone(...parts), { format: FORMAT, ...options })) {
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
  for await (const utterance of detectUtterances(counted(), { format: FORMAT })) {
    await utterance.next()
    expect(read / 2 / RATE).toBeLessThan(1.2)
    break
  }
})

test('the end of the microphone ends an utterance', async () => {
  expect(await utterances([room(1), speech(1)])).toEqual([1.3])
})

test.each<[message: string, options: object]>([
  ['`format.channels` must be 1', { format: { ...FORMAT, channels: 2 } }],
  ['`format.bitDepth` must be 16', { format: { ...FORMAT, bitDepth: 24 } }],
  ['`pauseSeconds` must be a number of seconds greater than 0', { format: FORMAT, pauseSeconds: 0 }],
  ['Unknown option `pause`', { format: FORMAT, pause: 1 }],
])('a wrong option is refused at once: %s', (message, options) => {
  const detect = (): unknown => detectUtterances(microphone(), options as DetectUtterancesOptions)
  expect(detect).toThrow(ConfigurationError)
  expect(detect).toThrow(message)
})
