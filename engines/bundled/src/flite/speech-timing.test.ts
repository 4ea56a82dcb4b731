import { describe, expect, test } from 'vitest'

import type { SpeechStep } from './speech-plan.ts'
import { fitTiming } from './speech-timing.ts'

const steps: SpeechStep[] = [
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
    expect(fitTiming(steps, natural, 10).stretch).toBe(2)
    expect(fitTiming(steps, natural, 6).stretch).toBe(1)
    expect(fitTiming(steps, natural, 4).stretch).toBe(0.5)
  })

  test('the length of each piece of speech is planned', () => {
    expect(fitTiming(steps, natural, 10).target).toEqual({
      totalFrames: 160_000,
      speechFrames: [32_000, 32_000, 48_000],
    })
  })

  test('speech is at most four times slower or faster', () => {
    expect(fitTiming(steps, natural, 3600).stretch).toBe(4)
    expect(fitTiming(steps, natural, 2.1).stretch).toBe(0.25)
    expect(fitTiming(steps, natural, 1).stretch).toBe(0.25)
  })

  test('a plan without speech is not stretched', () => {
    expect(fitTiming([{ type: 'pause', seconds: 2 }], [], 5)).toEqual({
      stretch: 1,
      target: { totalFrames: 80_000, speechFrames: [] },
    })
  })
})
