import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Microphone } from './microphone.ts'

const FORMAT = { sampleRate: 16_000, channels: 1, bitDepth: 16 }
/** 20 ms of sound. */
const FRAME = new Uint8Array(640).fill(7)

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Reads a microphone in the background. */
function read(microphone: Microphone): { sound: number; silence: number; isOver: boolean } {
  const heard = { sound: 0, silence: 0, isOver: false }
  void (async () => {
    for await (const audio of microphone) {
      if (audio.some((byte) => byte !== 0)) heard.sound += audio.byteLength / 32_000
      else heard.silence += audio.byteLength / 32_000
    }
    heard.isOver = true
  })()
  return heard
}

test('a microphone whose frames stop is silent, in the pace of the clock', async () => {
  const microphone = new Microphone(FORMAT, 10)
  const heard = read(microphone)
  microphone.push(FRAME)
  await vi.advanceTimersByTimeAsync(300)
  expect(heard).toMatchObject({ sound: 0.02, silence: 0 })
  await vi.advanceTimersByTimeAsync(1700)
  expect(heard.silence).toBeCloseTo(2, 1)
  microphone.push(FRAME)
  await vi.advanceTimersByTimeAsync(100)
  expect(heard.sound).toBeCloseTo(0.04)
  expect(heard.silence).toBeCloseTo(2, 1)
})

test('a microphone that has sent nothing yet is not silent', async () => {
  const heard = read(new Microphone(FORMAT, 10))
  await vi.advanceTimersByTimeAsync(5000)
  expect(heard).toEqual({ sound: 0, silence: 0, isOver: false })
})

test('what waits is read after the end, and more than the limit is refused', async () => {
  const microphone = new Microphone(FORMAT, 0.05)
  expect([1, 2, 3].map(() => microphone.push(FRAME))).toEqual([true, true, false])
  microphone.end()
  const heard = read(microphone)
  await vi.advanceTimersByTimeAsync(0)
  expect(heard).toMatchObject({ sound: 0.04, isOver: true })
})
