import { expect, test } from 'vitest'
import type { Piece } from './pieces.ts'
import { readTranscript } from './transcript.ts'

/** Two stretches of four seconds each, a minute apart, with 0.8 s between them in the piece. */
const PIECE: Piece = {
  samples: new Int16Array(8.8 * 16_000),
  spans: [
    { recordingSecond: 0, pieceSecond: 0, seconds: 4 },
    { recordingSecond: 64, pieceSecond: 4.8, seconds: 4 },
  ],
  startSecond: 0,
  endSecond: 68,
}

test.each([
  ['with spaces', 'one two three four', ['one', 'two', 'three', 'four'], ['one two', 'three four']],
  ['without spaces', '你好再见', ['你', '好', '再', '见'], ['你好', '再见']],
])('a segment %s is parted at a silence that was not sent, in its own writing', (_what, text, spelt, parts) => {
  const words = spelt.map((word, index) => ({ word, start: [1, 2, 6, 7][index] ?? 0, end: [2, 3, 7, 8][index] ?? 0 }))
  const { utterances } = readTranscript({ text, segments: [{ text, start: 1, end: 8, words }] }, PIECE, { name: 'far' })
  expect(utterances.map((one) => one.text)).toEqual(parts)
})
