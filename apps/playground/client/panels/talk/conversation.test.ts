import type { WireEvent } from '@svc-audio/voice'
import type { VoiceStatus } from '@svc-audio/voice/browser'
import { expect, test } from 'vitest'
import { addEvent, addStatus, EMPTY_LOG, MAX_EVENTS, type TalkLog } from './conversation.ts'

type Body<E = WireEvent> = E extends WireEvent ? Omit<E, 'ts'> : never
type Step = readonly [at: number, what: Body | VoiceStatus]

function logOf(...steps: readonly Step[]): TalkLog {
  return steps.reduce(
    (log, [at, what]) => (typeof what === 'string' ? addStatus(log, what, at) : addEvent(log, { ...what, ts: 0 }, at)),
    EMPTY_LOG,
  )
}

const QUESTION: readonly Step[] = [
  [1, { type: 'user_input' }],
  [3, 'thinking'],
  [3, { type: 'stt_output', transcript: 'what time is it' }],
  [3.1, { type: 'tool_call', id: '1', name: 'clock' }],
  [3.2, { type: 'tool_result', toolCallId: '1', name: 'clock' }],
  [3.3, { type: 'agent_chunk', text: 'It is ' }],
  [3.4, { type: 'agent_chunk', text: 'noon.' }],
  [3.5, { type: 'agent_message', text: 'It is noon.' }],
  [3.5, { type: 'agent_end', text: 'It is noon.' }],
  [3.6, { type: 'tts_sentence', text: 'It is noon.' }],
  [3.75, 'speaking'],
  [3.8, { type: 'turn_end' }],
  [5, 'listening'],
]

const wordsOf = ({ events }: TalkLog): string[] =>
  events.map(({ what, text }) => (text === '' ? what : `${what}: ${text}`))
const spansOf = ({ spans }: TalkLog): unknown[] => spans.map(({ lane, start, end }) => [lane, start, end])

test('a turn is told event by event, and the pieces of the answer are one event', () => {
  expect(wordsOf(logOf(...QUESTION))).toEqual([
    'You make a sound',
    'Your words are understood: what time is it',
    'The agent calls a tool: clock',
    'The tool has answered: clock',
    'The agent writes: It is noon.',
    'A message of the agent is complete',
    'The answer of the agent is complete',
    'A sentence is about to be heard: It is noon.',
    'You hear the answer',
    'The whole answer is sent',
  ])
})

test('a turn has what both said, when each was at work, and how long the answer took', () => {
  const log = logOf(...QUESTION)
  expect(log.lines.map(({ who, text }) => [who, text])).toEqual([
    ['You', 'what time is it'],
    ['Agent', 'It is noon.'],
  ])
  expect(spansOf(log)).toEqual([
    ['You', 1, 3],
    ['Agent', 3, 3.5],
    ['Answer', 3.75, 5],
  ])
  expect([log.wait, log.asked]).toEqual([0.75, undefined])
})

test('an answer that pauses for a cough continues, and counts as one answer', () => {
  const log = logOf(
    ...QUESTION.slice(0, -1),
    [4, { type: 'user_input' }],
    [4, 'paused'],
    [4, { type: 'paused' }],
    [4.5, { type: 'user_noise', transcript: '' }],
    [4.5, { type: 'resumed' }],
    [4.5, 'speaking'],
  )
  expect(wordsOf(log).slice(-4)).toEqual([
    'You make a sound',
    'The answer pauses',
    'The sound was no speech for the agent',
    'The answer continues',
  ])
  expect(spansOf(log).slice(2)).toEqual([
    ['Answer', 3.75, 4],
    ['You', 4, 4.5],
    ['Answer', 4.5, undefined],
  ])
  expect(log.wait).toBe(0.75)
})

test('an interruption says what was heard, and ends the answer', () => {
  const log = logOf(...QUESTION.slice(0, -1), [4, { type: 'interrupted', heard: 'It is' }])
  expect(wordsOf(log).at(-1)).toBe('You interrupt. Heard before: It is')
  expect(log.lines.at(-1)?.text).toBe('It is — interrupted')
  expect(log.spans.every(({ end }) => end !== undefined)).toBe(true)
  expect(wordsOf(logOf([1, { type: 'interrupted', heard: '' }]))).toEqual(['You interrupt. Heard before: nothing'])
})

test('what the agent says by itself is cut to what was heard of it, and not the answer before', () => {
  const log = logOf(
    ...QUESTION,
    [6, { type: 'agent_turn', text: 'Your tea is ready.' }],
    [6.1, { type: 'tts_sentence', text: 'Your tea is ready.' }],
    [6.5, { type: 'interrupted', heard: 'Your tea' }],
  )
  expect(log.lines.at(-1)?.text).toBe('It is noon. Your tea — interrupted')
})

test.each([
  [
    'error',
    { type: 'error', stage: 'speak', reason: 'failed', message: 'Ask again.' },
    'A stage failed: speak: Ask again.',
  ],
  ['reconnecting', 'reconnecting', 'The connection is lost: another is tried'],
  ['closed', 'closed', 'The conversation ends'],
] as const)('%s is told, and ends the work of the agent', (_name, what, words) => {
  const log = logOf(...QUESTION.slice(0, 3), [9, what])
  expect([wordsOf(log).at(-1), log.spans.at(-1)?.end]).toEqual([words, 9])
})

test('a long conversation keeps its latest events, lines and spans', () => {
  const turns = Array.from({ length: MAX_EVENTS }, () => QUESTION).flat()
  const log = logOf(...turns)
  expect([log.events.length, log.lines.length, log.spans.length]).toEqual([MAX_EVENTS, MAX_EVENTS, MAX_EVENTS])
  expect(new Set(log.events.map(({ id }) => id)).size).toBe(MAX_EVENTS)
})
