import { describe, expect, test } from 'vitest'
import { readableTranscript, readSegments, truncate } from './transcript.ts'

const segment = { type: 'transcript.text.segment', id: 's1', start: 0, end: 1, text: 'Hello there.', speaker: 'S01' }

describe('segments', () => {
  test('are read from a diarized result', () => {
    expect(readSegments({ text: 'x', segments: [segment] })).toEqual([segment])
  })

  test.each([
    ['a standard result', { text: 'x' }],
    ['one segment that cannot be read', { segments: [segment, { ...segment, text: undefined }] }],
    ['no array', { segments: 'none' }],
    [
      'other things in the array',
      { segments: [null, 1, 'x', {}, { ...segment, start: '0' }, { ...segment, text: 1 }] },
    ],
  ])('%s gives none', (_, result) => {
    expect(readSegments(result)).toEqual([])
  })
})

describe('a readable transcript', () => {
  test('is the text where no speakers are known', () => {
    expect(readableTranscript('just text', [])).toBe('just text')
  })

  test('has a line for each turn', () => {
    const segments = [
      segment,
      { ...segment, text: ' How are you? ' },
      { ...segment, speaker: 'S02', text: 'Fine.' },
      { ...segment, text: 'Good.' },
    ]
    expect(readableTranscript('ignored', segments)).toBe('S01: Hello there. How are you?\nS02: Fine.\nS01: Good.')
  })

  test('says so when nothing was recognized', () => {
    expect(readableTranscript(' \n', [])).toBe('No words were recognized in this audio.')
  })
})

describe('a long text', () => {
  test('is left alone up to the limit', () => {
    expect(truncate('12345', 5)).toEqual({ content: '12345', truncated: false })
  })

  test('is cut with a note that says how much is missing', () => {
    const { content, truncated } = truncate('0123456789', 4)
    expect(truncated).toBe(true)
    expect(content).toMatch(/^0123\n\n\[Cut here: these are the first 4 of 10 characters/)
  })

  test('is never cut inside a character', () => {
    expect(truncate('ab\u{1F600}cd', 3).content).toMatch(/^ab\n/)
    expect(truncate('ab\u{1F600}cd', 4).content).toMatch(/^ab\u{1F600}\n/u)
  })
})
