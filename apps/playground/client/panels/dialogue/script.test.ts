import { expect, test } from 'vitest'
import {
  addLine,
  addSpeaker,
  changeLine,
  dialogueBody,
  FIRST_SCRIPT,
  isEmpty,
  MAX_SPEAKERS,
  moveLine,
  removeLine,
  removeSpeaker,
  type Script,
} from './script.ts'

const texts = ({ lines }: Script): string[] => lines.map(({ text }) => text)
const abc: Script = {
  ...FIRST_SCRIPT,
  lines: [
    { key: 1, speaker: 'A', text: 'one' },
    { key: 2, speaker: 'B', text: 'two' },
    { key: 3, speaker: 'A', text: 'three' },
  ],
}

test('a line moves to its new place, and the others keep their order', () => {
  expect(texts(moveLine(abc, 3, 0))).toEqual(['three', 'one', 'two'])
  expect(texts(moveLine(abc, 1, 1))).toEqual(['two', 'one', 'three'])
})

test.each([-1, 3])('a line does not move to %d, outside of the script', (to) => {
  expect(moveLine(abc, 1, to)).toBe(abc)
})

test('a new line is the next speaker’s, with a new key', () => {
  const { lines } = addLine(abc, 0)
  expect(lines[1]).toEqual({ key: 4, speaker: 'B', text: '' })
  expect(lines).toHaveLength(4)
  expect(addLine(abc).lines.at(-1)).toMatchObject({ speaker: 'B' })
})

test('a script keeps one line', () => {
  const one = removeLine(removeLine(removeLine(abc, 1), 2), 3)
  expect(one.lines).toHaveLength(1)
  expect(isEmpty(one)).toBe(true)
})

test('a removed speaker leaves its lines to the first of the others', () => {
  const { speakers, lines } = removeSpeaker(abc, 'A')
  expect(speakers.map(({ id }) => id)).toEqual(['B'])
  expect(lines.every(({ speaker }) => speaker === 'B')).toBe(true)
})

test('the last speaker stays', () => {
  const one = removeSpeaker(abc, 'A')
  expect(removeSpeaker(one, 'B')).toBe(one)
})

test('a new speaker gets the first free letter, until all are taken', () => {
  const script = addSpeaker(removeSpeaker(abc, 'A'), 'awb')
  expect(script.speakers).toEqual([
    { id: 'B', voice: 'slt' },
    { id: 'A', voice: 'awb' },
  ])
  let full = script
  for (let count = 0; count < 20; count += 1) full = addSpeaker(full, 'rms')
  expect(full.speakers).toHaveLength(MAX_SPEAKERS)
})

test('the request has no empty line, and no speaker without a line', () => {
  const script = changeLine(abc, 2, { text: '  ' })
  expect(dialogueBody(script)).toEqual({
    model: 'svc-ttsd-1.0',
    speakers: [{ id: 'A', voice_id: 'rms' }],
    segments: [
      { speaker: 'A', text: 'one' },
      { speaker: 'A', text: 'three' },
    ],
    response_format: 'mp3',
  })
})
