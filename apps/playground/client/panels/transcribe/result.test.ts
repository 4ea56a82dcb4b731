import { describe, expect, test } from 'vitest'
import { exportOf } from './transcript-view.tsx'
import { correctedText, FIRST_DRAFT, isTimed, keytermsOf, type Result, speakersOf, turnAt } from './transcript.ts'

const turns = [
  { id: '1', speaker: 'S02', text: 'Good morning.', start: 0, end: 1.5 },
  { id: '2', speaker: 'S01', text: 'Good evening.', start: 2, end: 3 },
  { id: '3', speaker: 'S02', text: 'Oh.', start: undefined, end: undefined },
]
const result: Result = { text: 'as the service wrote it', turns, duration: 3 }

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
  expect(correctedText(result)).toBe('Good morning.\nGood evening.\nOh.')
  expect(correctedText({ ...result, turns: [] })).toBe('as the service wrote it')
})

describe('an export', () => {
  const names = { S02: 'Ann', S01: '  ' }

  test('an export as JSON has the names and every turn', async () => {
    const { segments, text } = JSON.parse(await exportOf('json', result, names).text()) as Result & {
      segments: { speaker: string }[]
    }
    expect(segments.map(({ speaker }) => speaker)).toEqual(['Ann', 'S01', 'Ann'])
    expect(text).toBe(correctedText(result))
  })

  test.each(['srt', 'vtt'] as const)('as %s has the turns with times', async (kind) => {
    const text = await exportOf(kind, result, names).text()
    expect(turns.filter(isTimed)).toHaveLength(2)
    expect(text).toContain('Ann')
    expect(text).toContain('Good evening.')
    expect(text).not.toContain('Oh.')
  })
})

test('key terms are lines without spaces around them', () => {
  expect(keytermsOf({ ...FIRST_DRAFT, keyterms: ' Ann Bo \n\nsvc\n' })).toEqual(['Ann Bo', 'svc'])
})
