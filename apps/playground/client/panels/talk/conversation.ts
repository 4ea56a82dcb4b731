import type { WireEvent } from '@svc-audio/voice'
import { VoiceClient, type VoiceLevels, type VoiceStatus } from '@svc-audio/voice/browser'
import { TALK_PATH, VOICE_WORKLET_PATH } from '../../../shared/api.ts'
import { closeMicrophone, openMicrophone, whenGone } from '../../audio/recorder.ts'
import { createStore, type Store } from '../../lib/store.ts'

/** Loudness at a second of the conversation. */
export interface TalkLevels extends VoiceLevels {
  /** Seconds since the start. */
  readonly at: number
}

const ENDED = 'The conversation has ended.'

/** A conversation with the agent of the playground. Its microphone can change, and recordings can speak in its place. */
export class Conversation {
  readonly log: Store<TalkLog> = createStore(EMPTY_LOG)
  readonly status: Store<VoiceStatus> = createStore<VoiceStatus>('connecting')
  readonly levels: Store<TalkLevels> = createStore({ microphone: 0, speaker: 0, at: 0 })
  readonly #context = new AudioContext()
  /** What the agent hears: the microphone, and recordings. */
  readonly #ear = this.#context.createMediaStreamDestination()
  readonly #client: VoiceClient
  readonly #start = performance.now()
  readonly #ready = Promise.withResolvers<void>()
  #opened: Promise<void> | undefined
  #microphone: MediaStream | undefined
  #source: MediaStreamAudioSourceNode | undefined
  #isMuted = false
  #isClosed = false
  readonly #onGone: () => void

  /**
   * Call it in a click or a key press: browsers allow no sound before.
   * @param voice That answers.
   * @param onEnd The server ended the conversation, or cannot be reached. The microphone is still open.
   * @param onGone The microphone is unplugged, or has lost its permission.
   */
  constructor(voice: string, onEnd: (reason: string) => void, onGone: () => void) {
    this.#onGone = onGone
    this.#ready.promise.catch(() => {})
    this.#client = new VoiceClient({
      url: `${TALK_PATH}?${new URLSearchParams({ voice }).toString()}`,
      microphone: this.#ear.stream,
      worklet: VOICE_WORKLET_PATH,
      onEvent: (event) => this.log.set(addEvent(this.log.get(), event, this.#now)),
      onStatus: (status) => this.#follow(status),
      onLevels: (levels) => this.levels.set({ ...levels, at: this.#now }),
      onEnd: ({ code, reason }) => onEnd(reason || `code ${code}`),
    })
  }

  get #now(): number {
    return (performance.now() - this.#start) / 1000
  }

  /** Opens the connection, once. @throws Error when the browser gives no sound, and after the end */
  open(): Promise<void> {
    this.#opened ??= this.#context.resume().then(() => {
      // The user may have pressed Stop while the browser asked for the microphone.
      if (this.#isClosed) throw new Error(ENDED)
      return this.#client.start()
    })
    return this.#opened
  }

  /** Listens to a microphone, in place of the one before. @throws DOMException; the one before then stays */
  async listen(device: string): Promise<void> {
    const microphone = await openMicrophone(device)
    closeMicrophone(this.#microphone)
    this.#source?.disconnect()
    if (this.#isClosed) return closeMicrophone(microphone)
    this.#microphone = microphone
    this.#source = this.#context.createMediaStreamSource(microphone)
    this.#source.connect(this.#ear)
    this.mute(this.#isMuted)
    whenGone(microphone, () => {
      if (microphone === this.#microphone && !this.#isClosed) this.#onGone()
    })
    return undefined
  }

  /** Keeps the microphone from the agent. */
  mute(isMuted: boolean): void {
    this.#isMuted = isMuted
    for (const track of this.#microphone?.getAudioTracks() ?? []) track.enabled = !isMuted
  }

  /** Speaks a recording to the agent, as soon as it listens. The user hears it too. @throws Error without a connection */
  async say(recording: Blob): Promise<void> {
    const buffer = await this.#context.decodeAudioData(await recording.arrayBuffer())
    await this.#ready.promise
    const source = new AudioBufferSourceNode(this.#context, { buffer })
    source.connect(this.#ear)
    source.connect(this.#context.destination)
    source.start()
  }

  /** Ends the conversation, and frees the microphone. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    closeMicrophone(this.#microphone)
    this.#ready.reject(new Error(ENDED))
    await this.#client.stop()
    await this.#context.close()
  }

  #follow(status: VoiceStatus): void {
    this.status.set(status)
    if (status === 'listening') this.#ready.resolve()
    this.log.set(addStatus(this.log.get(), status, this.#now))
  }
}

/** An event of a conversation, in words. */
interface TalkEvent {
  readonly id: number
  /** Seconds since the start. */
  readonly at: number
  readonly what: string
  /** What was said, written or called. */
  readonly text: string
}

/** What one of the two has said. */
interface TalkLine {
  readonly id: number
  readonly who: 'You' | 'Agent'
  readonly text: string
  /** What stands before the last answer of the line: an agent may answer twice without a word of the user between. */
  readonly before?: string
}

/** Who or what works at a time. */
export const LANES = ['You', 'Agent', 'Answer'] as const

/** A span of time of a lane, in seconds. */
interface TalkSpan {
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
  if (type === 'agent_turn') return { ...noted, lines: noted.lines.map((line) => ({ ...line, before: line.text })) }
  if (type === 'tts_sentence') return say(noted, 'Agent', event.text)
  if (type === 'agent_end' || type === 'error') return end(noted, at, 'Agent')
  return type === 'interrupted' ? end(interrupt(noted, event.heard), at, 'Agent', 'Answer') : noted
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
  agent_turn: 'The agent says something by itself',
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
  return ['agent_chunk', 'agent_turn', 'tts_sentence'].includes(event.type) && 'text' in event ? event.text : ''
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

/** Leaves of the last answer what was heard of it. */
function interrupt(log: TalkLog, heard: string): TalkLog {
  const last = log.lines.at(-1)
  const isAnswer = last?.who === 'Agent'
  const before = isAnswer ? { ...log, lines: log.lines.slice(0, -1) } : log
  const text = [isAnswer ? last.before : undefined, heard, '— interrupted'].filter(Boolean).join(' ')
  return say(before, 'Agent', text)
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
