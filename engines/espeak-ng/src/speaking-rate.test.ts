import { expect, test } from 'vitest'
import { speakingRate } from './speaking-rate.ts'

test('the rate follows the speed, and words get pauses where the program cannot be slower', () => {
  expect(speakingRate(1)).toEqual(['-s', '175'])
  expect(speakingRate(0.25)).toEqual(['-s', '700'])
  expect(speakingRate(2)).toEqual(['-s', '88'])
  expect(speakingRate(4)).toEqual(['-s', '80', '-g', '11'])
})
