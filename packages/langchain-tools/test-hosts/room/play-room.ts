import { FakeListChatModel } from '@langchain/core/utils/testing'
import type { AudioClient } from '@svc-audio/core'
import { wordErrorRate } from '@svc-audio/testing'
import { VoiceControl } from '@svc-audio/voice'
import { createAgent } from 'langchain'
import { type StreamingAgent, type VoiceEvent, voiceAgent } from '../../src/voice/index.ts'
import { RoomMicrophone } from './microphone.ts'
import { RoomLog } from './room-log.ts'
import { ANSWERS, type RoomStep, SCRIPT } from './script.ts'
import { FORMAT, RoomSounds } from './sounds.ts'
import { wordsHeard } from './words-heard.ts'

/** What an event in the room led to. */
export interface RoomRow {
  /** Seconds since the room opened. */
  readonly second: number
  readonly event: RoomStep['kind']
  /** What was said in the room. */
  readonly said: string
  /** What the agent heard. */
  readonly heard: string
  /** What the history holds of it. */
  readonly kept: string
  /** What is wrong, if anything is. */
  readonly fault?: string
}

/** Options of {@link playRoom}. */
export interface PlayRoomOptions {
  readonly client: AudioClient
  /** Where sounds are stored. */
  readonly folder: string
  /** The script is repeated until the room is this old. @default once */
  readonly seconds?: number
  readonly onRow?: (row: RoomRow) => void
  /** Called after each run of the script. */
  readonly onRound?: () => void
}

const USER = 'rms'
const AGENT = 'slt'

/** Plays a scripted room in real time against the whole pipeline, as a page does. */
export async function playRoom(options: PlayRoomOptions): Promise<readonly RoomRow[]> {
  const { client, seconds = 0, onRow = () => {}, onRound = () => {} } = options
  const pipeline = voiceAgent({
    client,
    voice_id: AGENT,
    agent: scriptedAgent(),
    // Every sound reaches the recognizer and the measure of melodies. `live-rooms.ts` has the detector of speech.
    speech: 'loudness',
  })
  const room = new Room(new RoomSounds(client, options.folder), pipeline.createState(undefined))
  const controller = new AbortController()
  const call = {
    microphone: room.microphone,
    format: FORMAT,
    playedSeconds: () => room.log.loudspeaker.playedSeconds,
    settings: () => ({}),
    control: new VoiceControl(),
    resumed: false,
    signal: controller.signal,
    user: undefined,
    state: room.conversation,
    request: { url: '/voice', headers: new Headers() },
  }
  const reading = room.log.read(pipeline.converse(call))
  // A pipeline that fails ends the wait for its next event.
  reading.catch(() => controller.abort())
  const rows: RoomRow[] = []
  const start = performance.now()
  try {
    do {
      for (const step of SCRIPT) {
        const second = (performance.now() - start) / 1000
        const row = { second, event: step.kind, ...(await room.play(step)) }
        rows.push(row)
        onRow(row)
      }
      onRound()
    } while (performance.now() - start < seconds * 1000)
  } finally {
    room.microphone.close()
    await reading
  }
  return rows
}

/** Answers each turn with the next text, 15 ms per character. A model that is bound to an agent begins again. */
function scriptedAgent(): StreamingAgent {
  let turns = 0
  return {
    stream(...args) {
      const response = ANSWERS[turns % ANSWERS.length] ?? ''
      turns += 1
      const agent: StreamingAgent = createAgent({
        model: new FakeListChatModel({ responses: [response], sleep: 15 }),
        tools: [],
      })
      return agent.stream(...args)
    },
  }
}

type Outcome = Omit<RoomRow, 'second' | 'event'>

class Room {
  readonly microphone = new RoomMicrophone()
  readonly log = new RoomLog()
  readonly conversation: ReturnType<ReturnType<typeof voiceAgent>['createState']>
  readonly #sounds: RoomSounds
  readonly #made = new Map<string, Promise<Uint8Array>>()
  #turns = 0
  /** When the last sound ended. */
  #endedAt = 0

  constructor(sounds: RoomSounds, conversation: Room['conversation']) {
    this.#sounds = sounds
    this.conversation = conversation
  }

  async play(step: RoomStep): Promise<Outcome> {
    const { said = '', answerSecond, seconds = 0 } = step
    const sound = await this.#sound(step)
    this.log.clear()
    const { loudspeaker } = this.log
    if (answerSecond === undefined) {
      await this.log.until(() => !this.log.isAnswering && loudspeaker.isEmpty, 'the end of the answer')
    } else {
      await this.log.until(() => loudspeaker.playedSeconds >= answerSecond, `second ${answerSecond} of an answer`)
    }
    const before = this.#history()
    if (step.kind === 'silence') return this.#silence(seconds)
    await this.microphone.play(sound)
    this.#endedAt = Date.now()
    if (step.kind === 'speech') return this.#speech(said, before)
    if (step.kind === 'talk-over') return this.#talkOver(said, before)
    return this.#noise(step, before)
  }

  /** What the pipeline makes of the whole sound. A long one has a verdict on its beginning before. */
  async #verdict(): Promise<Extract<VoiceEvent, { type: 'stt_output' | 'user_noise' }>> {
    const isVerdict = (event: VoiceEvent): event is Extract<VoiceEvent, { type: 'stt_output' | 'user_noise' }> =>
      (event.type === 'stt_output' || event.type === 'user_noise') && event.ts >= this.#endedAt
    return this.log.find(isVerdict, 'what was made of the sound')
  }

  /** Each sound is made once. */
  #sound(step: RoomStep): Promise<Uint8Array> {
    const key = JSON.stringify([step.kind, step.said, step.seconds, step.instrument])
    const sound = this.#made.get(key) ?? this.#make(step)
    this.#made.set(key, sound)
    return sound
  }

  async #make({ kind, said = '', seconds = 0, instrument = '' }: RoomStep): Promise<Uint8Array> {
    if (kind === 'cough') return this.#sounds.cough()
    if (kind === 'music') return this.#sounds.music(seconds)
    if (kind === 'melody') return this.#sounds.melody(instrument)
    if (kind === 'speech') return this.#sounds.speech(said, USER)
    if (kind === 'silence') return new Uint8Array()
    return this.#sounds.talkOver(said, USER, { text: ANSWERS[0] ?? '', voice_id: AGENT })
  }

  #history(): readonly string[] {
    return this.conversation.messages.map(({ type, text }) => `${type}: ${text}`)
  }

  /** Nobody makes a sound: the answer was played to its end, and the history holds all of it. */
  async #silence(seconds: number): Promise<Outcome> {
    const before = performance.now()
    await this.log.until(() => performance.now() - before >= seconds * 1000, 'silence')
    const kept = this.#history().at(-1) ?? ''
    const sounds = this.log.events.filter(({ type }) => type === 'user_input').length
    const isWhole = this.#turns === 0 ? kept === '' : kept === `ai: ${this.#answer()}`
    return {
      said: `(${seconds} s of silence)`,
      heard: sounds === 0 ? '(nothing)' : '(a sound)',
      kept,
      ...fault(sounds > 0 && 'silence was taken for a sound', !isWhole && 'the history lacks the answer'),
    }
  }

  /** The user speaks in silence: a turn begins, and its answer is heard. */
  async #speech(said: string, before: readonly string[]): Promise<Outcome> {
    const { type, transcript } = await this.#verdict()
    if (type === 'user_noise') return { said, heard: '(noise)', kept: '', fault: 'speech was taken for noise' }
    this.#turns += 1
    await this.log.until(() => this.log.loudspeaker.playedSeconds > 0.5, 'the beginning of the answer')
    const kept = this.#history().slice(before.length).join(' | ')
    return {
      said,
      heard: transcript,
      kept,
      ...fault(
        wordErrorRate(said, transcript) > 0.5 && 'most words were not understood',
        !kept.startsWith(`human: ${transcript}`) && 'the history lacks the words',
      ),
    }
  }

  /** The user speaks over the answer: it ends, and the history holds the words up to there. */
  async #talkOver(said: string, before: readonly string[]): Promise<Outcome> {
    const { type, transcript } = await this.#verdict()
    if (type === 'user_noise') return { said, heard: '(noise)', kept: '', fault: 'speech was taken for noise' }
    const answer = this.#answer()
    this.#turns += 1
    await this.log.until(() => this.log.loudspeaker.playedSeconds > 0.5, 'the beginning of the answer')
    const kept = this.#history().slice(before.length - 1)
    const cut = kept.find((message) => message.startsWith('ai: ')) ?? ''
    const text = /^ai: (.*) \[interrupted\]$/.exec(cut)?.[1] ?? ''
    const truth = await wordsHeard(this.log.cut, (sentence) => this.#sounds.secondsOf(sentence, AGENT))
    const words = text.split(' ').length
    return {
      said,
      heard: transcript,
      kept: kept.join(' | '),
      ...fault(
        wordErrorRate(said, transcript) > 0.5 && 'most words were not understood',
        (text === '' || !answer.startsWith(text)) && 'the history does not hold the beginning of the answer',
        Math.abs(words - truth) > 3 && `the history holds ${words} words, and ${truth} were heard`,
      ),
    }
  }

  /** A sound without words: the answer pauses, and continues. In silence, nothing happens. */
  async #noise({ kind, answerSecond, seconds, instrument }: RoomStep, before: readonly string[]): Promise<Outcome> {
    const { type, transcript } = await this.#verdict()
    if (type === 'stt_output') this.#turns += 1
    const isPaused = this.log.events.some((event) => event.type === 'paused')
    if (isPaused && type === 'user_noise') await this.log.find(isResumed, 'the answer continues')
    const isSame = JSON.stringify(this.#history().slice(0, before.length)) === JSON.stringify(before)
    return {
      said: `(${instrument ?? kind}${seconds === undefined ? '' : ` of ${seconds} s`})`,
      heard: transcript === '' ? '(noise)' : transcript,
      kept: isSame ? '(as before)' : (this.#history().at(-1) ?? ''),
      ...fault(
        type === 'stt_output' && 'noise was taken for speech',
        answerSecond !== undefined && !isPaused && 'the answer did not pause',
        !isSame && 'the history changed',
      ),
    }
  }

  /** The answer of the current turn. */
  #answer(): string {
    return ANSWERS[(this.#turns - 1) % ANSWERS.length] ?? ''
  }
}

function isResumed(event: VoiceEvent): event is Extract<VoiceEvent, { type: 'resumed' }> {
  return event.type === 'resumed'
}

function fault(...found: readonly (string | false)[]): { readonly fault?: string } {
  const first = found.find((one) => typeof one === 'string')
  return typeof first === 'string' ? { fault: first } : {}
}
