import { expect, test, vi } from 'vitest'
import type { SpeechDetector } from '../detect/speech-detector.ts'
import { SpeechGate } from './speech-gate.ts'

/** Samples of a frame of 20 ms. */
const FRAME = 320

/** So many frames of a square wave. Its level names it. */
function frames(count: number, level: number): ArrayBuffer[] {
  return Array.from(
    { length: count },
    () => Int16Array.from({ length: FRAME }, (_, index) => (index % 20 < 10 ? level : -level)).buffer,
  )
}

/** Loudest sample of each frame that was sent. */
async function sent(detector: SpeechDetector, ...parts: readonly ArrayBuffer[][]): Promise<number[]> {
  const levels: number[] = []
  const gate = new SpeechGate(detector, (pcm) => levels.push(Math.max(...new Int16Array(pcm))))
  for (const frame of parts.flat()) {
    gate.push(frame)
    // A microphone gives the detector its time.
    await new Promise((resolve) => void setImmediate(resolve))
  }
  return levels
}

const SPEECH = 8000
/** Louder than speech. */
const DOOR = 20_000
/** Knows speech by its level. */
const knows: SpeechDetector = { judge: (frame) => (Math.max(...frame) === SPEECH ? 0.9 : 0.1) }

test('only speech passes, with a quarter of a second before it and a second after it', async () => {
  const levels = await sent(
    knows,
    frames(50, 10),
    frames(20, DOOR),
    frames(30, SPEECH),
    frames(100, 20),
    frames(20, DOOR),
  )
  expect(levels.filter((level) => level === SPEECH)).toHaveLength(30)
  const [first, last] = [levels.indexOf(SPEECH), levels.lastIndexOf(SPEECH)]
  const before = levels.slice(0, first)
  expect(before.filter((level) => level > 0).length).toBeLessThanOrEqual(12)
  expect(before.slice(-8)).toEqual(Array<number>(8).fill(DOOR))
  const after = levels.slice(last + 1)
  expect(after.filter((level) => level > 0).length).toBeGreaterThanOrEqual(45)
  expect(after.filter((level) => level > 0).length).toBeLessThanOrEqual(55)
  expect(after).not.toContain(DOOR)
})

test('nothing is lost or added: closed, it is at most a quarter of a second behind', async () => {
  for (const count of [1, 12, 13, 100]) {
    const silent = await sent(knows, frames(count, 10))
    expect(silent).toHaveLength(Math.max(0, count - 12))
  }
  expect(await sent(knows, frames(100, 10), frames(30, SPEECH))).toHaveLength(130)
})

test('a detector that fails lets everything pass, and the page hears of it once', async () => {
  const report = vi.fn<(error: unknown) => void>()
  vi.stubGlobal('reportError', report)
  const broken: SpeechDetector = { judge: () => Promise.reject(new Error('out of memory')) }
  const levels = await sent(broken, frames(100, DOOR))
  expect(levels.filter((level) => level === DOOR)).toHaveLength(100)
  expect(report).toHaveBeenCalledExactlyOnceWith(new Error('out of memory'))
  vi.unstubAllGlobals()
})

test('a detector that does not keep up lets everything pass', async () => {
  const { promise, resolve } = Promise.withResolvers<number>()
  const levels: number[] = []
  const gate = new SpeechGate({ judge: () => promise }, (pcm) => levels.push(Math.max(...new Int16Array(pcm))))
  for (const frame of frames(100, DOOR)) gate.push(frame)
  resolve(0)
  await expect.poll(() => levels.length).toBe(100)
  expect(levels.filter((level) => level === DOOR)).toHaveLength(100)
})
