import * as fc from 'fast-check'
import type { CueOptions, SubtitlePiece } from '../../src/subtitles/index.ts'

const words = fc.constantFrom(
  'a',
  'the',
  'subtitles',
  'über',
  '-->',
  '<b>',
  '&amp;',
  '3.5%',
  '你好，',
  '北京',
  '（今天）',
  '👩‍👩‍👧',
  'สวัสดีครับ',
  '한국어',
  '\n',
  '\u0000',
  'x'.repeat(60),
  '漢'.repeat(40),
  '...',
  '1',
)

/** Text as services send it and as nobody should. */
export const texts: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.array(words, { maxLength: 40 }).map((parts) => parts.join(' ')) },
  { weight: 1, arbitrary: fc.array(words, { maxLength: 20 }).map((parts) => parts.join('')) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 120 }) },
)

export const speakers: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    'S01',
    'S02',
    'Ann <the "boss"> & co',
    'a\nb',
    ' ',
    '',
    '-->',
    'A name that is far too long for half a line',
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
)

const seconds = fc.oneof(
  fc.double({ min: 0, max: 60, noNaN: true }),
  fc.integer({ min: 0, max: 20_000 }).map((ms) => ms / 1000),
  fc.integer({ min: 0, max: 40 }).map((count) => count * 0.0003),
  fc.double({ min: 0, max: 500_000, noNaN: true }),
)

/** Pieces in any order, which overlap, touch or last no time at all. */
export const pieceLists: fc.Arbitrary<SubtitlePiece[]> = fc
  .array(
    fc.record(
      { start: seconds, length: fc.oneof(fc.constant(0), seconds), text: texts, speaker: speakers },
      { requiredKeys: ['start', 'length', 'text'] },
    ),
    { maxLength: 8 },
  )
  .map((list) => list.map(({ length, ...piece }) => ({ ...piece, end: piece.start + length })))

export const cueOptions: fc.Arbitrary<CueOptions> = fc
  .record(
    {
      maxCharactersPerLine: fc.integer({ min: 4, max: 60 }),
      maxLines: fc.integer({ min: 1, max: 4 }),
      maxCueSeconds: fc.double({ min: 0.01, max: 20, noNaN: true }),
      minCueSeconds: fc.double({ min: 0, max: 3, noNaN: true }),
    },
    { requiredKeys: [] },
  )
  .filter(({ maxCueSeconds, minCueSeconds = 0 }) => minCueSeconds <= (maxCueSeconds ?? Infinity))
