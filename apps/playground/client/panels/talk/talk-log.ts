import type { WireEvent } from '@svc-audio/voice'
import type { VoiceStatus } from '@svc-audio/voice/browser'

/** An event of a conversation, in words. */
export interface TalkEvent {
  readonly id: number
  /** Seconds since the start. */
  readonly at: number
  readonly what: string
  /** What was said, written or called. */
  readonly text: string
}

/** What one of the two has said. */
export interface TalkLine {
  readonly id: number
  readonly who: 'You' | 'Agent'
  readonly text: string
}

/** Who or what works at a time. */
export const LANES = ['You', 'Agent', 'Answer'] as const

/** A span of time of a lane, in seconds. */
export interface TalkSpan {
  readonly id: number
  readonly lane: (typeof LANES)[number]
  readonly start: number
  /** `undefined` while it lasts. */
  readonly end: number | undefined
}

/** A conversation so far. */
export interface TalkLog {
  /** The latest {@link MAX_EVENTS}, oldest first. */
  readonly events: readonly TalkEvent[]
  readonly lines: readonly TalkLine[]
  readonly spans: readonly TalkSpan[]
  /** Second of the user's last words, while their answer is not heard yet. */
  readonly asked: number | undefined
  /** Seconds from the last words, as they were understood, to the first sound of their answer. */
  readonly wait: number | undefined
}

/** Stored events, lines and spans. A conversation may last an hour. */
export const MAX_EVENTS = 300

/** A conversation before its start. */
export const EMPTY_LOG: TalkLog = { events: [], lines: [], spans: [], asked: undefined, wait: undefined }

/** Adds an event of the pipeline. @param at Seconds since the start. */
export function addEvent(log: TalkLog, event: WireEvent, at: number): TalkLog {
  const { type } = event
  const noted = note(log, WORDS[type], textOf(event), at)
  if (type === 'user_input') return begin(noted, 'You', at)
  if (type === 'user_noise') return end(noted, at, 'You')
  if (type === 'stt_output') return { ...begin(say(end(noted, at), 'You', event.transcript), 'Agent', at), asked: at }
  if (type === 'tts_sentence') return say(noted, 'Agent', event.text)
  if (type === 'agent_end' || type === 'error') return end(noted, at, 'Agent')
  return type === 'interrupted' ? end(say(noted, 'Agent', '— interrupted'), at, 'Agent', 'Answer') : noted
}

/** Adds a change of the client's state: what the user hears. @param at Seconds since the start. */
export function addStatus(log: TalkLog, status: VoiceStatus, at: number): TalkLog {
  if (status === 'closed') return end(note(log, 'The conversation ends', '', at), at)
  if (status === 'reconnecting') return end(note(log, 'The connection is lost: another is tried', '', at), at)
  if (status !== 'speaking') return end(log, at, 'Answer')
  if (log.asked === undefined) return begin(log, 'Answer', at)
  const first = begin(note(log, 'You hear the answer', '', at), 'Answer', at)
  return { ...first, asked: undefined, wait: at - log.asked }
}

const WORDS: Readonly<Record<WireEvent['type'], string>> = {
  user_input: 'You make a sound',
  user_noise: 'The sound was no speech for the agent',
  stt_output: 'Your words are understood',
  agent_chunk: 'The agent writes',
  tool_call: 'The agent calls a tool',
  tool_result: 'The tool has answered',
  agent_message: 'A message of the agent is complete',
  agent_end: 'The answer of the agent is complete',
  tts_sentence: 'A sentence is about to be heard',
  paused: 'The answer pauses',
  resumed: 'The answer continues',
  turn_end: 'The whole answer is sent',
  interrupted: 'You interrupt. Heard before',
  error: 'A stage failed',
}

function textOf(event: WireEvent): string {
  if ('transcript' in event) return event.transcript
  if ('name' in event) return event.name
  if (event.type === 'error') return `${event.stage}: ${event.message}`
  if (event.type === 'interrupted') return event.heard === '' ? 'nothing' : event.heard
  return event.type === 'agent_chunk' || event.type === 'tts_sentence' ? event.text : ''
}

function note(log: TalkLog, what: string, text: string, at: number): TalkLog {
  const last = log.events.at(-1)
  // The pieces of an answer are one event, which grows.
  if (last?.what === what && what === WORDS.agent_chunk) {
    return { ...log, events: [...log.events.slice(0, -1), { ...last, text: last.text + text }] }
  }
  return { ...log, events: latest(log.events, { id: (last?.id ?? 0) + 1, at, what, text }) }
}

function say(log: TalkLog, who: TalkLine['who'], text: string): TalkLog {
  const last = log.lines.at(-1)
  if (last?.who === who) {
    return { ...log, lines: [...log.lines.slice(0, -1), { ...last, text: `${last.text} ${text}` }] }
  }
  return { ...log, lines: latest(log.lines, { id: (last?.id ?? 0) + 1, who, text }) }
}

function begin(log: TalkLog, lane: TalkSpan['lane'], start: number): TalkLog {
  if (log.spans.some((span) => span.lane === lane && span.end === undefined)) return log
  const id = (log.spans.at(-1)?.id ?? 0) + 1
  return { ...log, spans: latest(log.spans, { id, lane, start, end: undefined }) }
}

function end(log: TalkLog, at: number, ...lanes: readonly TalkSpan['lane'][]): TalkLog {
  const ends = ({ lane, end: ended }: TalkSpan): boolean =>
    ended === undefined && (lanes.length === 0 || lanes.includes(lane))
  return log.spans.some(ends)
    ? { ...log, spans: log.spans.map((span) => (ends(span) ? { ...span, end: at } : span)) }
    : log
}

function latest<Item>(items: readonly Item[], item: Item): readonly Item[] {
  return [...items.slice(1 - MAX_EVENTS), item]
}
