import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cueOptions, pieceLists } from '../../test/support/subtitle-pieces.ts'
import { type CueOptions, toCues } from './cues.ts'
import type { SubtitlePiece, SubtitleSource } from './pieces.ts'
import { columns, linesOf } from './words.ts'

const piece = (start: number, end: number, text: string, speaker?: string): SubtitlePiece => ({
  start,
  end,
  text,
  ...(speaker === undefined ? {} : { speaker }),
})
const times = (source: SubtitleSource, options?: CueOptions): [number, number][] =>
  toCues(source, options).map(({ start, end }) => [start, end])
const textsOf = (source: SubtitleSource, options?: CueOptions): string[] =>
  toCues(source, options).map(({ text }) => text)

const LONG =
  'Good morning everybody, and welcome to this rather long introduction to the subject of subtitles, which nobody reads.'
const dense = (text: string): string => text.replaceAll(/[\s\p{Cc}]+/gu, '')
const errorOf = (make: () => unknown): unknown => {
  try {
    make()
  } catch (error) {
    return error
  }
  throw new Error('Nothing was thrown')
}

describe('a piece that fits is a cue', () => {
  // rules: transcription-result.seconds
  test('with its times in whole milliseconds, its speaker and its text', () => {
    expect(toCues([piece(1.23449, 3.9996, '  Hello\tthere. ', 'S01')])).toEqual([
      { start: 1.234, end: 4, text: 'Hello there.', speaker: 'S01' },
    ])
  })

  test('that keeps its own lines, without blank ones', () => {
    expect(textsOf([piece(0, 2, '\n- Hello.\r\n\r\n \u2028- Bye.\n')])).toEqual(['- Hello.\n- Bye.'])
  })

  test('and one without text or speaker has none', () => {
    const cues = toCues([piece(0, 2, 'a', ' '), piece(2, 4, ' \n\u00A0'), piece(4, 6, ''), piece(6, 8, 'b')])
    expect(cues).toEqual([
      { start: 0, end: 2, text: 'a' },
      { start: 6, end: 8, text: 'b' },
    ])
  })

  // rules: transcription-result.segment-fields, transcription.segment-type-open
  test('from a result of the service, which stays unchanged', () => {
    const segment = Object.freeze({ type: 'x', id: '1', start: 0, end: 2, text: 'Hello', speaker: 'S01' })
    const result = Object.freeze({ task: 'transcribe', duration: 2, text: 'Hello', segments: Object.freeze([segment]) })
    expect(toCues(result)).toEqual([{ start: 0, end: 2, text: 'Hello', speaker: 'S01' }])
  })
})

describe('a long piece becomes several cues', () => {
  test('of lines that fit, about equally long, and no single word at the end', () => {
    expect(textsOf([piece(0, 6, LONG)])).toEqual([
      'Good morning everybody, and\nwelcome to this rather long',
      'introduction to the subject of\nsubtitles, which nobody reads.',
    ])
  })

  test('that share the time by their length, without a gap', () => {
    const cues = toCues([piece(10, 20, `${'a'.repeat(30)} ${'b'.repeat(15)} ${'c'.repeat(14)} ${'d'.repeat(39)}`)], {
      maxLines: 1,
      maxCharactersPerLine: 40,
    })
    expect(cues.map(({ start, end, text }) => [start, end, text.length])).toEqual([
      [10, 12.97, 30],
      [12.97, 16.04, 30],
      [16.04, 20, 39],
    ])
  })

  test('when it lasts too long, and the speaker stays with each', () => {
    const cues = toCues([piece(0, 20, 'one two three four five six', 'S02')])
    expect(cues.length).toBeGreaterThan(2)
    expect(cues.every(({ start, end, speaker }) => end - start <= 7 && speaker === 'S02')).toBe(true)
  })

  test('and a single word that lasts too long is taken off the screen', () => {
    expect(times([piece(0, 60, 'Well')])).toEqual([[0, 7]])
    expect(times([piece(0, 60, 'Well')], { maxCueSeconds: Infinity })).toEqual([[0, 60]])
  })

  test('a word longer than a line is cut', () => {
    expect(textsOf([piece(0, 2, 'x'.repeat(50))], { maxCharactersPerLine: 20, maxLines: 3 })).toEqual([
      `${'x'.repeat(20)}\n${'x'.repeat(20)}\n${'x'.repeat(10)}`,
    ])
  })
})

describe('text without spaces', () => {
  const options = { maxCharactersPerLine: 12, maxLines: 2 }

  test('is broken between words, never before a closing mark nor after an opening one', () => {
    const chinese = '今天我们去北京参观故宫博物院，然后（如果时间允许）吃晚饭。'
    const lines = textsOf([piece(0, 7, chinese)], options).flatMap((text) => text.split('\n'))
    expect(lines.join('')).toBe(chinese)
    expect(lines.filter((line) => /^[，。）]|（$/.test(line) || columns(line) > 12)).toEqual([])
    expect(lines.length).toBeLessThanOrEqual(6)
  })

  test.each([
    ['Japanese', '日本語のテキストは「スペース」なしで書かれます。'],
    ['Thai', 'สวัสดีครับผมชื่อสมชายและผมชอบอ่านหนังสือ'],
    ['a word of one character over and over', '漢'.repeat(100)],
  ])('%s keeps every character', (_, text) => {
    const lines = textsOf([piece(0, 7, text)], options).flatMap((cue) => cue.split('\n'))
    expect(lines.join('')).toBe(text)
    expect(lines.every((line) => columns(line) <= 12)).toBe(true)
  })

  test('counts two columns a character, other scripts one', () => {
    expect(['漢字', '한국', 'ｱｲ', 'é', 'e\u0301', '👩‍👩‍👧', 'Ａ', 'a漢'].map(columns)).toEqual([4, 4, 2, 1, 1, 2, 2, 3])
  })

  test('in lines that do not fit is joined without spaces; spaced text is joined with spaces', () => {
    const chinese = '今天我们去北\n京参观故宫博\n物院'
    expect(textsOf([piece(0, 5, chinese)], { maxLines: 1 }).join('')).toBe('今天我们去北京参观故宫博物院')
    expect(textsOf([piece(0, 5, 'one\ntwo\nthree')])).toEqual(['one two three'])
    expect(textsOf([piece(0, 5, '한국어\n텍스트\n입니다')])).toEqual(['한국어 텍스트 입니다'])
  })

  test('no character is cut, however narrow the line', () => {
    const family = '👩‍👩‍👧'.repeat(5)
    const lines = textsOf([piece(0, 7, `${family}${'e\u0301'.repeat(9)}`)], { maxCharactersPerLine: 4 })
    const whole = new Set(['👩‍👩‍👧', 'e\u0301'])
    for (const line of lines.flatMap((text) => text.split('\n'))) {
      for (const { segment } of new Intl.Segmenter().segment(line)) expect(whole).toContain(segment)
    }
    expect(lines.join('').replaceAll('\n', '')).toBe(`${family}${'e\u0301'.repeat(9)}`)
  })

  test('a space that must not be broken at is kept', () => {
    expect(textsOf([piece(0, 3, 'about 12\u00A0000 years')], { maxCharactersPerLine: 10 })).toEqual(
      ['about\n12\u00A0000\nyears'].flatMap((text) => [text.split('\n').slice(0, 2).join('\n'), 'years']),
    )
  })
})

describe('times', () => {
  test('come in order of their start, whatever order they are given in', () => {
    expect(textsOf([piece(4, 6, 'c'), piece(0, 2, 'a'), piece(2, 4, 'b')])).toEqual(['a', 'b', 'c'])
  })

  test('that overlap still do: people talk at once', () => {
    expect(times([piece(0, 5, 'a', 'S01'), piece(2, 4, 'b', 'S02')])).toEqual([
      [0, 5],
      [2, 4],
    ])
  })

  test('too short are lengthened, but not into the next', () => {
    expect(times([piece(0, 0.2, 'a'), piece(0.5, 0.6, 'b'), piece(5, 5.2, 'c')])).toEqual([
      [0, 0.5],
      [0.5, 1.5],
      [5, 6],
    ])
    expect(times([piece(0, 0.2, 'a')], { minCueSeconds: 0 })).toEqual([[0, 0.2]])
  })

  test('without a length get a millisecond, and later cues move', () => {
    const list = [piece(1, 1, 'a'), piece(1, 1, 'b'), piece(1, 1.0004, 'c'), piece(1.0004, 3, 'd')]
    expect(times(list)).toEqual([
      [1, 1.001],
      [1.001, 1.002],
      [1.002, 1.003],
      [1.003, 3],
    ])
  })

  test.each([
    [
      [0.9996, 1.0004],
      [1, 2],
    ],
    [
      [1.0004, 1.0005],
      [1, 2],
    ],
  ])('that round to the same millisecond do not end before they start', ([start = 0, end = 0], [from, until]) => {
    expect(times([piece(start, end, 'a')])).toEqual([[from, expect.closeTo(until ?? 0, 2)]])
  })

  test.each<[string, Partial<SubtitlePiece>, string]>([
    ['a start that is no number', { start: Number.NaN }, 'segments[1].start'],
    ['a start that is text', { start: '1' as unknown as number }, 'segments[1].start'],
    ['a negative start', { start: -0.001 }, 'segments[1].start'],
    ['an endless end', { end: Infinity }, 'segments[1].end'],
    ['an end without exact milliseconds', { end: 1e15 }, 'segments[1].end'],
    ['no end', { end: undefined as unknown as number }, 'segments[1].end'],
    ['an end before its start', { start: 2, end: 1 }, 'segments[1].end'],
    ['no text', { text: undefined as unknown as string }, 'segments[1]'],
  ])('%s is refused by name', (_, fields, param) => {
    const error = errorOf(() => toCues([piece(5, 6, 'fine'), { ...piece(0, 9, 'a'), ...fields }]))
    expect(error).toMatchObject({ name: 'InvalidRequestError', param })
  })
})

describe('text without segments is refused', () => {
  test.each<[string, unknown]>([
    ['the response of the standard model', { text: 'Hello' }],
    ['an empty text of the standard model', { text: '' }],
    ['text with no segments', { text: 'Hello', segments: [] }],
    ['segments that are none', { text: 'Hello', segments: 'a' }],
    ['the bare text', 'Hello'],
    ['nothing', null],
  ])('%s: the error names segments and the model that has them', (_, source) => {
    const error = errorOf(() => toCues(source as SubtitleSource))
    expect(error).toMatchObject({ name: 'InvalidRequestError', code: 'missing_required_field', param: 'segments' })
    expect((error as Error).message).toContain('svc-transcribe-diarize-pro')
  })

  // rules: transcription-result.no-segments
  test('but silence has no cues', () => {
    expect(toCues({ text: '', segments: [] })).toEqual([])
    expect(toCues({ segments: [] })).toEqual([])
    expect(toCues([])).toEqual([])
  })
})

describe('impossible options are refused by name', () => {
  test.each<[CueOptions, string]>([
    [{ maxCharactersPerLine: 3 }, 'maxCharactersPerLine'],
    [{ maxCharactersPerLine: 20.5 }, 'maxCharactersPerLine'],
    [{ maxLines: 0 }, 'maxLines'],
    [{ maxCueSeconds: 0 }, 'maxCueSeconds'],
    [{ maxCueSeconds: Number.NaN }, 'maxCueSeconds'],
    [{ minCueSeconds: -1 }, 'minCueSeconds'],
    [{ minCueSeconds: 5, maxCueSeconds: 4 }, 'minCueSeconds'],
  ])('%o', (options, param) => {
    expect(errorOf(() => toCues([], options))).toMatchObject({
      name: 'InvalidRequestError',
      code: 'invalid_range',
      param,
    })
  })

  test('one limit alone moves the default of the other', () => {
    expect(times([piece(0, 0.1, 'a')], { maxCueSeconds: 0.5 })).toEqual([[0, 0.5]])
    expect(times([piece(0, 0.1, 'a')], { minCueSeconds: 9 })).toEqual([[0, 9]])
  })
})

describe('for any pieces and any options', () => {
  const check = (property: (pieces: SubtitlePiece[], options: CueOptions) => void): void =>
    fc.assert(fc.property(pieceLists, cueOptions, property), { numRuns: 300 })

  test('cues keep within every limit', () => {
    check((pieces, options) => {
      const {
        maxCharactersPerLine = 42,
        maxLines = 2,
        maxCueSeconds = Math.max(7, options.minCueSeconds ?? 0),
      } = options
      for (const { start, end, text } of toCues(pieces, options)) {
        const lines = text.split('\n')
        expect(lines.length).toBeLessThanOrEqual(maxLines)
        for (const line of lines) expect(columns(line)).toBeLessThanOrEqual(maxCharactersPerLine)
        expect(linesOf(text)).toEqual(lines)
        expect(Math.round(end * 1000)).toBeGreaterThan(Math.round(start * 1000))
        expect(end - start).toBeLessThanOrEqual(Math.max(maxCueSeconds, 0.001) + 0.0006)
      }
    })
  })

  test('no character is lost or added, but spaces', () => {
    check((pieces, options) => {
      const tagged = pieces.map((one, index) => ({ ...one, speaker: `S${index}` }))
      const cues = toCues(tagged, options)
      for (const { speaker, text } of tagged) {
        const shown = cues.filter((cue) => cue.speaker === speaker).map((cue) => cue.text)
        expect(dense(shown.join(''))).toBe(dense(text))
      }
    })
  })

  test('cues come in order, and overlap only where their pieces do', () => {
    check((pieces, options) => {
      const tagged = pieces.map((one, index) => ({ ...one, speaker: `S${index}` }))
      const cues = toCues(tagged, options)
      const sourceOf = (speaker = ''): SubtitlePiece => tagged[Number(speaker.slice(1))] ?? piece(0, 0, '')
      for (const [index, cue] of cues.entries()) {
        for (const later of cues.slice(index + 1)) {
          expect(later.start).toBeGreaterThanOrEqual(cue.start)
          const [one, other] = [sourceOf(cue.speaker), sourceOf(later.speaker)]
          const apart = one === other || one.end <= other.start || other.end <= one.start
          expect(apart && later.start < cue.end).toBe(false)
        }
      }
    })
  })

  test('cues may be given again and come back the same', () => {
    check((pieces, options) => {
      const cues = toCues(pieces, options)
      expect(toCues(cues, options)).toEqual(cues)
    })
  })
})

test('an hour in one segment is fast', () => {
  const text = Array.from({ length: 20_000 }, (_, index) => `word${index}`).join(' ')
  const cues = toCues([piece(0, 3600, text)])
  expect(cues.length).toBeGreaterThan(2000)
  expect(dense(cues.map((cue) => cue.text).join(''))).toBe(dense(text))
})
