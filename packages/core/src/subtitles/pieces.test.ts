import { describe, expect, expectTypeOf, test } from 'vitest'
import type { DiarizedTranscription } from '../wire/transcription.ts'
import { type SubtitleCue, toCues } from './cues.ts'
import { renameSpeakers } from './pieces.ts'
import { toVtt } from './formats.ts'

const segment = (id: string, speaker: string): DiarizedTranscription['segments'][number] & { confidence: number } =>
  Object.freeze({ type: 'x', id, start: 0, end: 1, text: id, speaker, confidence: 0.5 })
const RESULT = Object.freeze({
  task: 'transcribe',
  duration: 2,
  text: 'a b',
  language: 'en',
  segments: Object.freeze([segment('a', 'S01'), segment('b', 'S02'), segment('c', 'S03')]),
})

describe('renameSpeakers', () => {
  test('replaces labels with names, and every other field stays, unknown fields too', () => {
    const renamed = renameSpeakers(RESULT, { S01: 'Ann', S02: 'Ben', S09: 'Nobody' })
    expect(renamed).toEqual({
      ...RESULT,
      segments: [segment('a', 'Ann'), segment('b', 'Ben'), segment('c', 'S03')],
    })
    expect(RESULT.segments.map(({ speaker }) => speaker)).toEqual(['S01', 'S02', 'S03'])
    expectTypeOf(renamed).toEqualTypeOf<typeof RESULT>()
  })

  test('takes cues, segments and events of a stream', () => {
    const cues = renameSpeakers(toCues(RESULT), { S01: 'Ann' })
    expectTypeOf(cues).toEqualTypeOf<SubtitleCue[]>()
    expect(cues.map(({ speaker }) => speaker)).toEqual(['Ann', 'S02', 'S03'])
    const events = [{ type: 'transcript.segment.done', content_index: 0, speaker: 'S01', text: 'a' }] as const
    expect(renameSpeakers(events, { S01: 'Ann' })).toEqual([{ ...events[0], speaker: 'Ann' }])
    expect(toVtt(renameSpeakers(RESULT, { S02: 'Ben' }))).toContain('<v Ben>b</v>')
  })

  test('two labels may become one speaker, and names swap without mixing', () => {
    const speakers = (names: Record<string, string>): string[] =>
      renameSpeakers(RESULT, names).segments.map(({ speaker }) => speaker)
    expect(speakers({ S01: 'Ann', S03: 'Ann' })).toEqual(['Ann', 'S02', 'Ann'])
    expect(speakers({ S01: 'S02', S02: 'S01' })).toEqual(['S02', 'S01', 'S03'])
  })

  test('does not change results without speakers or segments', () => {
    expect(renameSpeakers([{ start: 0, end: 1, text: 'a' }] as SubtitleCue[], { S01: 'Ann' })).toEqual([
      { start: 0, end: 1, text: 'a' },
    ])
    const bare: { text: string; segments?: SubtitleCue[] } = { text: 'a' }
    expect(renameSpeakers(bare, { S01: 'Ann' })).toEqual({ text: 'a' })
  })

  test('uses only the given names', () => {
    const items = ['constructor', '__proto__', 'toString'].map((speaker) => ({ speaker }))
    expect(renameSpeakers(items, {})).toEqual(items)
  })
})
