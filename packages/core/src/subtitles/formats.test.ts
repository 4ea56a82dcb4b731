import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ParsedCue, parseSrt, parseVtt } from '../../test/support/subtitle-parsers.ts'
import { cueOptions, pieceLists } from '../../test/support/subtitle-pieces.ts'
import { toCues } from './cues.ts'
import type { SubtitlePiece } from './pieces.ts'
import { timestamp, toSrt, toVtt } from './formats.ts'
import { columns, linesOf } from './words.ts'

const segment = (
  start: number,
  end: number,
  text: string,
  speaker = 'S01',
): SubtitlePiece & { type: string; id: string } => ({
  type: 'transcript.text.segment',
  id: `seg-${start}`,
  start,
  end,
  text,
  speaker,
})
const RESULT = {
  task: 'transcribe',
  duration: 5,
  text: 'Good morning. And to you!',
  segments: [segment(0, 2.5, 'Good morning.'), segment(2.5, 5.0004, 'And to you!', 'S02')],
}
const one = (text: string, speaker?: string): SubtitlePiece[] => [
  { start: 0, end: 2, text, ...(speaker === undefined ? {} : { speaker }) },
]

test('SRT has numbers, times with a comma and the speaker before the text', () => {
  expect(toSrt(RESULT)).toBe(
    '1\n00:00:00,000 --> 00:00:02,500\nS01: Good morning.\n\n2\n00:00:02,500 --> 00:00:05,000\nS02: And to you!\n',
  )
})

test('VTT has its header, times with a point and the speaker in a voice tag', () => {
  expect(toVtt(RESULT)).toBe(
    'WEBVTT\n\n00:00:00.000 --> 00:00:02.500\n<v S01>Good morning.</v>\n\n' +
      '00:00:02.500 --> 00:00:05.000\n<v S02>And to you!</v>\n',
  )
})

test('without cues SRT is empty and VTT has only its header', () => {
  expect(toSrt([])).toBe('')
  expect(toVtt({ text: '', segments: [] })).toBe('WEBVTT\n')
})

test.each([toSrt, toVtt])('text without segments is refused: %o', (format) => {
  expect(() => format({ text: 'Hello' })).toThrow(
    expect.objectContaining({ name: 'InvalidRequestError', param: 'segments' }),
  )
})

describe('times', () => {
  test.each([
    [0, '00:00:00.000'],
    [0.0004, '00:00:00.000'],
    [0.0005, '00:00:00.001'],
    [59.9996, '00:01:00.000'],
    [3599.9999, '01:00:00.000'],
    [1.005, '00:00:01.005'],
    [359_999.999, '99:59:59.999'],
    [360_000, '100:00:00.000'],
    [4_000_000.25, '1111:06:40.250'],
  ])('%d s is %s', (seconds, text) => {
    expect(timestamp(seconds, '.')).toBe(text)
    expect(timestamp(seconds, ',')).toBe(text.replace('.', ','))
  })

  test('beyond 99 hours are read back', () => {
    const pieces = [{ start: 400_000, end: 400_001.5, text: 'a' }]
    for (const cues of [parseSrt(toSrt(pieces)), parseVtt(toVtt(pieces))]) {
      expect(cues).toEqual([{ from: 400_000_000, until: 400_001_500, lines: ['a'] }])
    }
  })
})

describe('speakers', () => {
  test('can be omitted', () => {
    expect(toSrt(RESULT, { speakers: false })).not.toContain('S0')
    expect(toVtt(RESULT, { speakers: false })).not.toContain('<')
  })

  test('that are absent or blank leave no trace', () => {
    for (const speaker of [undefined, '', ' \n ', '\u0000']) {
      expect(parseSrt(toSrt(one('a', speaker)))[0]?.lines).toEqual(['a'])
      expect(parseVtt(toVtt(one('a', speaker)))).toEqual([{ from: 0, until: 2000, lines: ['a'] }])
    }
  })

  test('can be spelled in another way in SRT, on one line', () => {
    expect(parseSrt(toSrt(RESULT, { speakers: (name) => `[${name}]\n\n` }))[0]?.lines).toEqual(['[S01] Good morning.'])
    expect(parseSrt(toSrt(RESULT, { speakers: () => '' }))[0]?.lines).toEqual(['Good morning.'])
  })

  test('count as part of the line, unless they take more than half of it', () => {
    const text = 'one two three four five six seven eight nine ten'
    const lines = (name: string): readonly string[] =>
      parseSrt(toSrt(one(text, name), { maxCharactersPerLine: 20, maxLines: 2 })).flatMap((cue) => cue.lines)
    expect(lines('Ann').every((line) => line.length <= 20)).toBe(true)
    expect(lines('Ann').filter((line) => line.startsWith('Ann: '))).toHaveLength(2)
    const long = 'Bartholomew'
    expect(lines(long).every((line) => line.replace(`${long}: `, '').length <= 20)).toBe(true)
    expect(lines(long)[0]).toMatch(/^Bartholomew: one two three/)
  })

  test('have their names escaped in VTT', () => {
    const vtt = toVtt(one('a', 'Ann <b> & Co.\n->'))
    expect(vtt).toContain('<v Ann &lt;b&gt; &amp; Co. -&gt;>a</v>')
    expect(parseVtt(vtt)[0]?.voice).toBe('Ann <b> & Co. ->')
  })
})

describe('text that reads as something else', () => {
  test('is escaped in VTT', () => {
    const text = '<i>1 & 2</i> --> &amp;'
    expect(toVtt(one(text))).toContain('&lt;i&gt;1 &amp; 2&lt;/i&gt; --&gt; &amp;amp;')
    expect(parseVtt(toVtt(one(text)))[0]?.lines).toEqual([text])
  })

  test('cannot be a time in SRT', () => {
    const text = '00:00:01,000 --> 00:00:02,000'
    expect(parseSrt(toSrt(one(text)))[0]?.lines).toEqual(['00:00:01,000 → 00:00:02,000'])
    expect(toSrt(one('> a'), { speakers: false })).toContain('> a')
    expect(parseSrt(toSrt(one('> a', 'x'), { speakers: () => '--' }))[0]?.lines).toEqual(['→ a'])
  })

  test.each(['a\n\n2\n00:00:09,000 --> 00:00:10,000\nb', 'a\r\n\r\nb', 'a\r\rb', 'a\u2028\u2028b', 'a\u0085\u0085b'])(
    'cannot begin another cue: %j',
    (text) => {
      expect(parseSrt(toSrt(one(text), { maxLines: 9 }))).toHaveLength(1)
      expect(parseVtt(toVtt(one(text), { maxLines: 9 }))).toHaveLength(1)
    },
  )

  test('may be a number, a note or a header', () => {
    for (const text of ['1', '42\n43', 'NOTE this', 'WEBVTT', 'STYLE']) {
      expect(parseSrt(toSrt(one(text)))[0]?.lines).toEqual(text.split('\n'))
      expect(parseVtt(toVtt(one(text)))[0]?.lines).toEqual(text.split('\n'))
    }
  })
})

describe('for any pieces and any options, a strict reader finds the cues again', () => {
  const expected = (pieces: readonly SubtitlePiece[], options: object): ParsedCue[] =>
    toCues(pieces, options).map(({ start, end, text, speaker = '' }) => {
      const voice = linesOf(speaker).join(' ')
      const cue = { from: Math.round(start * 1000), until: Math.round(end * 1000), lines: text.split('\n') }
      return voice === '' ? cue : Object.assign(cue, { voice })
    })

  test('in VTT, with their speakers', () => {
    fc.assert(
      fc.property(pieceLists, cueOptions, (pieces, options) => {
        expect(parseVtt(toVtt(pieces, options))).toEqual(expected(pieces, options))
      }),
      { numRuns: 300 },
    )
  })

  test('in SRT, without speakers', () => {
    fc.assert(
      fc.property(pieceLists, cueOptions, (pieces, options) => {
        const found = parseSrt(toSrt(pieces, { ...options, speakers: false }))
        const wanted = expected(pieces, options).map(({ from, until, lines }) => ({
          from,
          until,
          lines: lines.map((line) => line.replaceAll(/--+>/g, '→')),
        }))
        expect(found).toEqual(wanted)
      }),
      { numRuns: 300 },
    )
  })

  test('in SRT with speakers, each of whom is named on every cue, within the line', () => {
    fc.assert(
      fc.property(pieceLists, cueOptions, (pieces, options) => {
        const { maxCharactersPerLine = 42 } = options
        const named = pieces.map((piece, index) => Object.assign({ ...piece }, { speaker: `S${index}` }))
        for (const { lines } of parseSrt(toSrt(named, options))) {
          const [first = '', ...rest] = lines
          const [prefix = ''] = /^S\d: /.exec(first) ?? []
          expect(prefix).not.toBe('')
          const counted = prefix.length * 2 > maxCharactersPerLine ? first.slice(prefix.length) : first
          for (const line of [counted, ...rest]) expect(columns(line)).toBeLessThanOrEqual(maxCharactersPerLine)
        }
      }),
      { numRuns: 300 },
    )
  })
})
