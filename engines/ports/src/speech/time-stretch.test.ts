import { describe, expect, test } from 'vitest'
import { TimeStretch } from './time-stretch.ts'

const RATE = 16_000

function tone(seconds: number, hertz: number): Int16Array {
  return Int16Array.from({ length: seconds * RATE }, (_, at) =>
    Math.round(10_000 * Math.sin((2 * Math.PI * hertz * at) / RATE)),
  )
}

function changed(samples: Int16Array, speed: number, size: number): Int16Array {
  const stretch = new TimeStretch(speed, RATE)
  const made: number[] = []
  for (let at = 0; at < samples.length; at += size) made.push(...stretch.push(samples.subarray(at, at + size)))
  made.push(...stretch.end())
  return Int16Array.from(made)
}

/** Rising zero crossings per second. */
function pitch(samples: Int16Array): number {
  let crossings = 0
  for (let at = 1; at < samples.length; at += 1)
    if ((samples[at - 1] ?? 0) < 0 && (samples[at] ?? 0) >= 0) crossings += 1
  return crossings / (samples.length / RATE)
}

describe.each([0.25, 0.5, 0.8, 1.3, 2, 4])('speech at the speed %f', (speed) => {
  test('has its length and keeps its pitch', () => {
    const samples = changed(tone(2, 200), speed, 1000)
    expect(samples.length).toBe(Math.round((2 * RATE) / speed))
    expect(pitch(samples.subarray(0, samples.length - 1500)) / 200).toBeGreaterThan(0.9)
    expect(pitch(samples.subarray(0, samples.length - 1500)) / 200).toBeLessThan(1.1)
  })

  test('does not depend on the sizes of the pieces', () => {
    const samples = tone(1, 150)
    expect(changed(samples, speed, 333)).toEqual(changed(samples, speed, 7000))
  })
})

test('no sample has the speed of no sample', () => {
  expect(new TimeStretch(2, RATE).end()).toHaveLength(0)
})
