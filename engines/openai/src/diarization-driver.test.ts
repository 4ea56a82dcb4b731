import { expect, test } from 'vitest'
import { joinWindows, type SpeakerWindow } from './diarization-driver.ts'

const window = (startSecond: number, endSecond: number, ...segments: [number, number, string][]): SpeakerWindow => ({
  startSecond,
  endSecond,
  segments: segments.map(([start, end, speaker]) => ({ startSecond: start, endSecond: end, speaker })),
})

const brief = (windows: readonly SpeakerWindow[]): string[] =>
  joinWindows(windows).map(({ startSecond, endSecond, speaker }) => `${startSecond}-${endSecond} ${speaker}`)

test('one window has labels in the order of the first speech', () => {
  expect(brief([window(0, 10, [5, 6, 'A'], [1, 2, 'B'], [7, 8, 'B'])])).toEqual(['1-2 S01', '5-6 S02', '7-8 S01'])
})

test('a later window has the labels of the speakers that share its overlap', () => {
  const first = window(0, 20, [0, 5, 'A'], [5, 17, 'B'], [17, 20, 'A'])
  const second = window(15, 35, [15, 17, 'x'], [17, 25, 'y'], [25, 35, 'x'])
  expect(brief([first, second])).toEqual(['0-5 S01', '5-17 S02', '17-17.5 S01', '17.5-25 S01', '25-35 S02'])
})

test('a speaker who says nothing in the overlap is a new one', () => {
  const first = window(0, 20, [0, 20, 'A'])
  const second = window(15, 35, [15, 25, 'A'], [25, 35, 'B'])
  expect(brief([first, second]).at(-1)).toBe('25-35 S02')
})

test('one earlier speaker never becomes two later ones', () => {
  const first = window(0, 20, [0, 20, 'A'])
  const second = window(15, 35, [15, 16, 'x'], [16, 35, 'y'])
  expect(brief([first, second])).toEqual(['0-17.5 S01', '17.5-35 S01'])
})

test('where two speakers talk at once, the one who began later counts', () => {
  expect(brief([window(0, 10, [0, 5, 'A'], [4, 8, 'B'])])).toEqual(['0-4 S01', '4-8 S02'])
})

test('an interjection parts a long turn, and the rest is that of the same speaker', () => {
  expect(brief([window(0, 40, [0, 32, 'A'], [10, 11, 'B'])])).toEqual(['0-10 S01', '10-11 S02', '11-32 S01'])
  expect(brief([window(0, 40, [0, 32, 'A'], [10, 14, 'B'], [12, 13, 'C'], [20, 21, 'B'])])).toEqual([
    '0-10 S01',
    '10-12 S02',
    '12-13 S03',
    '13-14 S02',
    '14-20 S01',
    '20-21 S02',
    '21-32 S01',
  ])
})

test('of two who begin at once, the shorter turn counts first', () => {
  expect(brief([window(0, 10, [0, 8, 'A'], [0, 2, 'B'])])).toEqual(['0-2 S01', '2-8 S02'])
})

test('a silent window joins its neighbours', () => {
  const windows = [window(0, 20, [1, 2, 'A']), window(15, 35), window(30, 50, [40, 41, 'A'])]
  expect(brief(windows)).toEqual(['1-2 S01', '40-41 S02'])
})

test('no window has no segments', () => {
  expect(joinWindows([])).toEqual([])
})
