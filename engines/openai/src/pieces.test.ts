import { describe, expect, test } from 'vitest'
import { type Piece, segmentTimes, wordTimes } from './pieces.ts'

/** Three stretches of four seconds each, a minute apart, with 0.8 s between them in the piece. */
const PIECE: Piece = {
  samples: new Int16Array(0),
  spans: [
    { recordingSecond: 2, pieceSecond: 0, seconds: 4 },
    { recordingSecond: 66, pieceSecond: 4.8, seconds: 4 },
    { recordingSecond: 130, pieceSecond: 9.6, seconds: 4 },
  ],
  startSecond: 2,
  endSecond: 134,
}

const round = ({ startSecond, endSecond }: { startSecond: number; endSecond: number }): number[] =>
  [startSecond, endSecond].map((second) => Math.round(100 * second) / 100)

describe('a word', () => {
  test.each([
    ['in the first stretch', [1, 2], [3, 4]],
    ['in the last stretch', [10, 11], [130.4, 131.4]],
    ['that a server begins in the silence before it', [4.3, 5.2], [65.5, 66.4]],
    ['that a server ends in the silence behind it', [3.5, 4.6], [5.5, 6.6]],
    ['that a server begins at the end of the word before', [3.9, 5.6], [65.1, 66.8]],
    ['in the silence, near the stretch before', [4.1, 4.2], [6.1, 6.2]],
    ['behind the end', [13.5, 20], [133.9, 134]],
  ])('%s has the times of one stretch', (_where, [start = 0, end = 0], times) => {
    expect(round(wordTimes(PIECE, start, end))).toEqual(times)
  })
})

describe('a segment', () => {
  test.each([
    ['of one stretch', [0.5, 3.5], [2.5, 5.5]],
    ['that a server begins where the segment before ended', [3.9, 8], [65.1, 69.2]],
    ['that a server ends where the next one begins', [0.5, 4.9], [2.5, 6.9]],
    ['of two stretches', [2, 7], [4, 68.2]],
    ['in the silence', [4.2, 4.5], [65.4, 65.7]],
    ['beyond the end', [10, 29.98], [130.4, 134]],
  ])('%s begins and ends with its speech', (_where, [start = 0, end = 0], times) => {
    expect(round(segmentTimes(PIECE, start, end))).toEqual(times)
  })
})
