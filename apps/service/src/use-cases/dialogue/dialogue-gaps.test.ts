import { describe, expect, test } from 'vitest'
import { GAP_SECONDS, gapAfter } from './dialogue-gaps.ts'

const gap = (text: string, speakers: readonly [string, string] = ['a', 'b']): number =>
  gapAfter({ speaker: speakers[0], voiceId: 'rms', text }, { speaker: speakers[1], voiceId: 'rms', text: 'Yes.' })

describe('gapAfter', () => {
  const rows: [text: string, gap: keyof typeof GAP_SECONDS][] = [
    ['It is late.', 'statement'],
    ['It is late', 'statement'],
    ['Is it late?', 'question'],
    ['Is it late?!', 'question'],
    ['它晚了吗？', 'question'],
    ['Late!', 'exclamation'],
    ['I thought…', 'trailingOff'],
    ['I thought...', 'trailingOff'],
    ['But I —', 'brokenOff'],
    ['But I-', 'brokenOff'],
    ['When it is late,', 'brokenOff'],
    ['He asked: “Is it late?”', 'question'],
    ['(Late!) \n', 'exclamation'],
    ['"', 'statement'],
  ]
  test.each(rows)('the gap after %j is that of a %s', (text, name) => {
    expect(gap(text)).toBe(GAP_SECONDS[name])
  })

  test('the gap before the same speaker does not depend on the end of the line', () => {
    for (const text of ['Late.', 'Late?', 'Late…']) expect(gap(text, ['a', 'a'])).toBe(GAP_SECONDS.sameSpeaker)
  })

  test('two speakers with one voice are two speakers', () => {
    expect(gap('Late.')).not.toBe(GAP_SECONDS.sameSpeaker)
  })

  test('every gap is between a quarter and six tenths of a second', () => {
    for (const seconds of Object.values(GAP_SECONDS)) {
      expect(seconds).toBeGreaterThanOrEqual(0.25)
      expect(seconds).toBeLessThanOrEqual(0.6)
    }
  })

  test('a long end without punctuation is fast', () => {
    expect(gap(' '.repeat(100_000))).toBe(GAP_SECONDS.statement)
  })
})
