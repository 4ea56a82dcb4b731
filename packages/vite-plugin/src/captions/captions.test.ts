import { describe, expect, test } from 'vitest'
import { captionsOf, sectionsOf } from './captions.ts'
import type { ScriptSegment } from '../narrator/script.ts'

const segment = (written: string, heading?: ScriptSegment['heading']): ScriptSegment =>
  heading === undefined ? { written, spoken: written } : { written, spoken: written, heading }
const place = (startSecond: number, endSecond: number): { startSecond: number; endSecond: number } => ({
  startSecond,
  endSecond,
})

/** The cues of captions: identifier, time and text. */
function cues(vtt: string): string[][] {
  const [head, ...blocks] = vtt.trim().split('\n\n')
  expect(head).toBe('WEBVTT')
  return blocks.map((block) => block.split('\n'))
}

describe('captions', () => {
  test('a short segment is one cue in its place, with the number of its segment', () => {
    expect(cues(captionsOf([segment('One.'), segment('Two.')], [place(0, 1.5), place(3700, 3700.25)], 'en'))).toEqual([
      ['1.1', '00:00:00.000 --> 00:00:01.500', 'One.'],
      ['2.1', '01:01:40.000 --> 01:01:40.250', 'Two.'],
    ])
  })

  test('a paragraph becomes cues that people can read', () => {
    const text =
      'The boat leaves at nine, and it takes about an hour. Tickets are sold on board; bring coins. ' +
      'The captain, who has sailed these waters for thirty years, tells about the harbour and its lighthouses on the way.'
    const made = cues(captionsOf([segment(text)], [place(2, 20)], 'en'))
    expect(made.map(([, , ...lines]) => lines)).toEqual([
      ['The boat leaves at nine,', 'and it takes about an hour.'],
      ['Tickets are sold on board; bring coins.'],
      ['The captain, who has sailed', 'these waters for thirty years,'],
      ['tells about the harbour and', 'its lighthouses on the way.'],
    ])
    expect(made.map(([id]) => id)).toEqual(['1.1', '1.2', '1.3', '1.4'])
  })

  test('line breaks and runs of white space are one space', () => {
    expect(cues(captionsOf([segment('One\n\n two\tthree')], [place(0, 1)], undefined))[0]?.[2]).toBe('One two three')
  })

  test('captions hold what is written, not what is spoken, with the signs of WebVTT escaped', () => {
    const vtt = captionsOf([{ written: 'a < b & c --> d', spoken: 'a is less than b' }], [place(0, 1)], 'en')
    expect(vtt).toContain('a &lt; b &amp; c --&gt; d')
    expect(vtt).not.toContain('less than')
  })

  test('a segment without text has no cue', () => {
    expect(cues(captionsOf([segment(''), segment('Two.')], [place(0, 1), place(1, 2)], 'en'))).toEqual([
      ['2.1', '00:00:01.000 --> 00:00:02.000', 'Two.'],
    ])
    expect(cues(captionsOf([], [], 'en'))).toEqual([])
  })
})

describe('sections', () => {
  const top = { title: 'Top', level: 1, id: undefined }
  const deep = { title: 'Deep', level: 3, id: 'deep' }
  const segments = [segment('Before.'), segment('Top.', top), segment('Text.'), segment('Deep.', deep), segment('End.')]
  const places = [place(0, 1), place(1.5, 2), place(2.5, 4), place(4.5, 5), place(5.5, 9)]

  test('a section lasts until the next heading of any level, and the last one to the end of the audio', () => {
    expect(sectionsOf(segments, places, 9.25)).toEqual([
      { ...top, startSecond: 1.5, endSecond: 4.5 },
      { ...deep, startSecond: 4.5, endSecond: 9.25 },
    ])
  })

  test('a page without headings has no sections', () => {
    expect(sectionsOf([segment('One.')], [place(0, 1)], 1)).toEqual([])
  })
})
