import { signal, sine } from '@svc-audio/kit/engine-fixtures/signals.ts'
import { expect, test } from 'vitest'
import { cutSpeech } from './pieces.ts'

const USUAL = 32_000

test.each([0.1, 1, 2, 2.9, 3, 4.9, 5, 7.3, 60])(
  'a span of %d s is cut into pieces without a gap, none longer than one and a half of the usual length',
  (seconds) => {
    const samples = signal(seconds, (second) => 0.3 * sine(440, second))
    const pieces = cutSpeech(samples, { start: 0, end: samples.length }, USUAL)
    expect(pieces[0]?.startSample).toBe(0)
    expect(pieces.at(-1)?.endSample).toBe(samples.length)
    for (const [index, { startSample, endSample }] of pieces.entries()) {
      expect(endSample - startSample).toBeLessThanOrEqual(1.5 * USUAL)
      expect(pieces[index + 1]?.startSample ?? endSample).toBe(endSample)
    }
  },
)
