import { describe, expect, test } from 'vitest'
import { exportOf, speakerName } from './transcript-view.tsx'
import {
  correctedText,
  FIRST_DRAFT,
  isTimed,
  keytermsOf,
  type Result,
  speakersOf,
  type Turn,
  turnAt,
} from './transcript.ts'

const turn = (change: Partial<Turn> = {}): Turn => ({
  id: 'seg_0',
  speaker: 'S01',
  text: 'Good morning.',
  start: 3661.25,
  end: 3662.5,
  ...change,
})
const result = (...turns: Turn[]): Result => ({ text: 'as the service wrote it', turns, duration: 9.5 })

describe('JSON', () => {
  test('has the text, the duration and the whole turns, indented', async () => {
    const text = await exportOf('json', result(turn()), { S01: ' Ann ' }).text()
    expect(JSON.parse(text)).toEqual({
      text: 'Good morning.',
      duration: 9.5,
      segments: [{ id: 'seg_0', speaker: 'Ann', text: 'Good morning.', start: 3661.25, end: 3662.5 }],
    })
    expect(text).toContain('\n  "segments": [')
  })

  test('of a text without turns has the text of the service and no duration that is not known', async () => {
    const text = await exportOf('json', { ...result(), duration: undefined }, {}).text()
    expect(JSON.parse(text)).toEqual({ text: 'as the service wrote it', segments: [] })
  })

  test('leaves the result as it is', () => {
    const own = result(turn())
    exportOf('json', own, { S01: 'Ann' })
    expect(own.turns[0]?.speaker).toBe('S01')
  })
})

describe('subtitles', () => {
  test('subtitles of SRT have numbers, times with a comma, and the name before the text', async () => {
    const text = await exportOf(
      'srt',
      result(turn(), turn({ text: 'Again.', speaker: 'S02', start: 3663, end: 3664 })),
      {},
    ).text()
    expect(text).toBe(
      '1\n01:01:01,250 --> 01:01:02,500\nS01: Good morning.\n\n2\n01:01:03,000 --> 01:01:04,000\nS02: Again.\n',
    )
  })

  test('subtitles of one speaker without a name hold the text alone', async () => {
    const talk = result(turn(), turn({ text: 'Again.', start: 3663, end: 3664 }))
    expect(await exportOf('srt', talk, { S01: ' ' }).text()).not.toContain('S01')
    expect(await exportOf('vtt', talk, {}).text()).not.toContain('<v')
  })

  test('subtitles of VTT have a head, times with a point, and the name as a voice', async () => {
    const text = await exportOf('vtt', result(turn()), { S01: 'Ann' }).text()
    expect(text).toBe('WEBVTT\n\n01:01:01.250 --> 01:01:02.500\n<v Ann>Good morning.</v>\n')
  })

  test('subtitles have corrections that cannot break the file', async () => {
    const own = result(turn({ text: '5 --> 6 <b> & more' }))
    const [srt, vtt] = await Promise.all([exportOf('srt', own, {}).text(), exportOf('vtt', own, { S01: '<A>' }).text()])
    expect(srt.match(/-->/g)).toHaveLength(1)
    expect(vtt.match(/-->/g)).toHaveLength(1)
    expect(vtt).toContain('<v &lt;A&gt;>5 --&gt; 6 &lt;b&gt; &amp; more</v>')
  })

  test('subtitles without a turn that has times are empty files of their format', async () => {
    const own = result(turn({ start: undefined }), turn({ end: undefined }))
    expect(await exportOf('srt', own, {}).text()).toBe('')
    expect(await exportOf('vtt', own, {}).text()).toBe('WEBVTT\n')
  })
})

test.each([
  ['json', 'application/json'],
  ['srt', 'application/x-subrip'],
  ['vtt', 'text/vtt'],
] as const)('a file of %s has the type %s', (kind, type) => {
  expect(exportOf(kind, result(turn()), {}).type).toBe(type)
})

test.each([
  [{ S01: 'Ann' }, 'Ann'],
  [{ S01: '  Ann B  ' }, 'Ann B'],
  [{ S01: ' \n' }, 'S01'],
  [{ S02: 'Bo' }, 'S01'],
  [{}, 'S01'],
])('with the names %j the speaker S01 is called %s', (names, expected) => {
  expect(speakerName('S01', names)).toBe(expected)
})

const turns = [
  { id: '1', speaker: 'S02', text: 'Good morning.', start: 0, end: 1.5 },
  { id: '2', speaker: 'S01', text: 'Good evening.', start: 2, end: 3 },
  { id: '3', speaker: 'S02', text: 'Oh.', start: undefined, end: undefined },
]
const talk: Result = { text: 'as the service wrote it', turns, duration: 3 }

test('speakers stand in the order of their first turn', () => {
  expect(speakersOf(turns)).toEqual(['S02', 'S01'])
})

test.each([
  [0, '1'],
  [1.49, '1'],
  [1.5, undefined],
  [2.5, '2'],
  [9, undefined],
])('at %f seconds turn %s is heard', (position, id) => {
  expect(turnAt(turns, position)?.id).toBe(id)
})

test('the text has the corrections of the turns, and without turns it is that of the service', () => {
  expect(correctedText(talk)).toBe('Good morning.\nGood evening.\nOh.')
  expect(correctedText({ ...talk, turns: [] })).toBe('as the service wrote it')
})

describe('an export', () => {
  const names = { S02: 'Ann', S01: '  ' }

  test('an export as JSON has the names and every turn', async () => {
    const { segments, text } = JSON.parse(await exportOf('json', talk, names).text()) as Result & {
      segments: { speaker: string }[]
    }
    expect(segments.map(({ speaker }) => speaker)).toEqual(['Ann', 'S01', 'Ann'])
    expect(text).toBe(correctedText(talk))
  })

  test.each(['srt', 'vtt'] as const)('as %s has the turns with times', async (kind) => {
    const text = await exportOf(kind, talk, names).text()
    expect(turns.filter(isTimed)).toHaveLength(2)
    expect(text).toContain('Ann')
    expect(text).toContain('Good evening.')
    expect(text).not.toContain('Oh.')
  })
})

test('key terms are lines without spaces around them', () => {
  expect(keytermsOf({ ...FIRST_DRAFT, keyterms: ' Ann Bo \n\nsvc\n' })).toEqual(['Ann Bo', 'svc'])
})
