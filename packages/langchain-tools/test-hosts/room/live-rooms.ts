import { once } from 'node:events'
import { createServer } from 'node:http'
import { FakeListChatModel } from '@langchain/core/utils/testing'
import type { AudioClient, PureAudioClient } from '@svc-audio/core'
import { serverUrl } from '@svc-audio/testing'
import { type DetectedUtterance, detectUtterances, sileroSpeech, type VoiceEvent, VoiceServer } from '@svc-audio/voice'
import { attachVoice } from '@svc-audio/voice/node'
import { createAgent } from 'langchain'
import {
  agentStage,
  speakStage,
  transcribeStage,
  type VoiceAgentCall,
  type VoiceAgentOptions,
  VoiceConversation,
} from '../../src/voice/index.ts'
import { Caller } from './caller.ts'
import { noting } from './noted-utterance.ts'
import { atLevel, holds, joined, mixed, noise, repeated, trimmed } from './levels.ts'
import { RoomSounds } from './sounds.ts'

const RATE = 16_000
/** Level of the user, in dB below full scale. */
const USER = -14
/** Level of a quiet room. */
const QUIET = -66
/** Seconds of a bed before it repeats. */
const BED_SECONDS = 40
/** Seconds after which a turn counts as hanging. */
const PATIENCE = 90

const QUESTIONS = ['When does the train to the coast leave?', 'Is the old museum open in the morning?'] as const
const ANSWER = 'The train to the coast leaves at seven in the morning. You can buy a ticket at the station.'
const OTHERS = [
  'The committee will meet again on Tuesday afternoon to discuss the budget for the coming year and the repair of the old bridge near the station.',
  'My sister told me that the market opens earlier in summer, so we went there before breakfast and bought fresh bread, and then some.',
  'Nobody knows why the lights went out, but the neighbors came with candles and we sang until midnight, and nobody minded.',
] as const

/** When the microphone is muted. */
export type MutePhase = 'in the question' | 'after the last word' | 'while the agent works' | 'after a cough'

/** A room, and what happens in it. */
export interface LiveRoom {
  readonly name: string
  /** What is heard beside the user. */
  readonly bed: Int16Array
  /** Echo of the answer, in dB. */
  readonly echo?: number
  /** Coughs in silence and into the answer. */
  readonly coughs?: boolean
  readonly mute?: MutePhase
  /** Whether muting sends no frames, as other clients do. @default silence */
  readonly isFrozen?: boolean
}

/** What was measured in a room. */
export interface LiveRow {
  readonly room: string
  /** Seconds from the last word of each question to the end of its utterance. `undefined` without a transcript. */
  readonly seconds: readonly (number | undefined)[]
  /** Share of the words of both questions that were understood. */
  readonly words: number
  /** Questions whose beginning or end is not in the audio that was transcribed. */
  readonly cut: number
  /** Turns that no question began. */
  readonly others: number
  /** Turns that did not end. */
  readonly hung: number
}

/** Sounds of the rooms. */
export interface RoomVoices {
  readonly questions: readonly Int16Array[]
  readonly cough: Int16Array
  readonly rooms: readonly LiveRoom[]
}

/** Makes the rooms. */
export async function liveRooms(client: AudioClient, folder: string): Promise<RoomVoices> {
  const sounds = new RoomSounds(client, folder)
  const samplesOf = (pcm: Uint8Array): Int16Array =>
    new Int16Array(Uint8Array.from(pcm.subarray(0, pcm.byteLength & ~1)).buffer)
  const speech = async (text: string, voice: string): Promise<Int16Array> =>
    trimmed(samplesOf(await sounds.speech(text, voice)))
  const questions: Int16Array[] = []
  for (const question of QUESTIONS) questions.push(atLevel(await speech(question, 'slt'), USER))
  const [a, b, c] = [await speech(OTHERS[0], 'rms'), await speech(OTHERS[1], 'awb'), await speech(OTHERS[2], 'kal16')]
  const length = BED_SECONDS * RATE
  const quiet = noise(length, QUIET)
  const one = repeated(joined(a, new Int16Array(RATE / 2)), length)
  const three = mixed(...[a, b, c].map((voice) => repeated(atLevel(voice, -26), length)))
  const under = (bed: Int16Array, below: number): Int16Array => mixed(quiet, atLevel(bed, USER - below))
  const rooms: LiveRoom[] = [{ name: 'silence', bed: quiet }]
  for (const below of [30, 24, 18]) rooms.push({ name: `three voices at −${below} dB`, bed: under(three, below) })
  for (const below of [30, 24, 18]) rooms.push({ name: `one voice at −${below} dB`, bed: under(one, below) })
  rooms.push({ name: 'a fan at −30 dB', bed: under(noise(length, -20), 30) })
  rooms.push({ name: 'coughs', bed: quiet, coughs: true })
  for (const below of [20, 30, 40]) rooms.push({ name: `echo at −${below} dB`, bed: quiet, echo: -below })
  for (const mute of ['in the question', 'after the last word', 'while the agent works', 'after a cough'] as const) {
    rooms.push({ name: `muted ${mute}`, bed: quiet, mute })
    rooms.push({ name: `no frames ${mute}`, bed: quiet, mute, isFrozen: true })
  }
  return { questions, cough: atLevel(samplesOf(await sounds.cough()), USER), rooms }
}

/** Measures rooms over WebSockets, several at a time. */
export async function measureRooms(
  client: AudioClient,
  voices: RoomVoices,
  speech: NonNullable<VoiceAgentOptions['speech']>,
  parallel = 2,
): Promise<readonly LiveRow[]> {
  const http = createServer()
  const logs = new Map<string, RoomHearing>()
  const voice = new VoiceServer({
    createState: () => new VoiceConversation(),
    converse: (call) => {
      const log = logs.get(call.request.url) ?? { ends: [], files: [] }
      return converse(call, { client: noted(client, log), speech, log })
    },
  })
  const attached = attachVoice(http, { voice })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const rows: LiveRow[] = []
  const waiting = [...voices.rooms]
  const work = async (): Promise<void> => {
    for (let room = waiting.shift(); room !== undefined; room = waiting.shift()) {
      const path = `/voice?room=${logs.size}`
      const log: RoomHearing = { ends: [], files: [] }
      logs.set(path, log)
      rows.push(await measure(`${serverUrl(http, 'ws')}${path}`, { room, log }, voices))
    }
  }
  try {
    await Promise.all(Array.from({ length: parallel }, work))
  } finally {
    await attached.close()
    http.closeAllConnections()
    http.close()
  }
  return rows.toSorted((one, other) => orderOf(one, voices) - orderOf(other, voices))
}

/** What the server has heard in a room. */
interface RoomHearing {
  /** When utterances have ended. */
  readonly ends: number[]
  /** What was transcribed: WAV files. */
  readonly files: Uint8Array[]
}

/** The client, which notes what it transcribes. */
function noted(client: PureAudioClient, { files }: RoomHearing): PureAudioClient {
  const { transcriptions } = client
  const create: typeof transcriptions.create = (body, options) => {
    if ('file' in body && body.file instanceof Uint8Array) files.push(body.file)
    return transcriptions.create(body, options)
  }
  const listened = new Proxy(transcriptions, {
    get: (target, name): unknown => (name === 'create' ? create : Reflect.get(target, name, target)),
  })
  return new Proxy(client, {
    get: (target, name): unknown => (name === 'transcriptions' ? listened : Reflect.get(target, name, target)),
  })
}

/** The pipeline of `voiceAgent`. It notes when each utterance has ended, because recognition takes its own time after that. */
function converse(
  call: VoiceAgentCall,
  {
    client,
    speech,
    log,
  }: { client: PureAudioClient; speech: NonNullable<VoiceAgentOptions['speech']>; log: RoomHearing },
): AsyncIterable<VoiceEvent> {
  const { state: conversation, signal, format, playedSeconds } = call
  async function* utterances(): AsyncGenerator<DetectedUtterance> {
    for await (const utterance of detectUtterances(call.microphone, { format, speech })) {
      yield noting(utterance, () => log.ends.push(performance.now()))
    }
  }
  const agent = createAgent({ model: new FakeListChatModel({ responses: [ANSWER], sleep: 5 }), tools: [] })
  const heard = transcribeStage(utterances(), { client, format, conversation, signal })
  const answered = agentStage(heard, { agent, conversation, signal })
  return speakStage(answered, { client, voice_id: 'rms', conversation, signal, playedSeconds, bufferSeconds: 2 })
}

function orderOf({ room }: LiveRow, { rooms }: RoomVoices): number {
  return rooms.findIndex(({ name }) => name === room)
}

/** Detectors of the table. */
export const DETECTORS = { model: sileroSpeech(), gate: 'loudness' } as const

async function measure(
  url: string,
  { room, log }: { readonly room: LiveRoom; readonly log: RoomHearing },
  { questions, cough }: RoomVoices,
): Promise<LiveRow> {
  const caller = new Caller(url, { bed: room.bed, echo: room.echo })
  await caller.open()
  const seconds: (number | undefined)[] = []
  const transcripts: string[] = []
  let [cuts, hung] = [0, 0]
  const mute = (isMuted: boolean): void => {
    if (room.isFrozen === true) caller.isFrozen = isMuted
    else caller.isMuted = isMuted
  }
  await caller.until(() => false, 2)
  if (room.coughs === true) {
    await caller.say(cough)
    await caller.until(() => caller.find('user_noise') !== undefined, 5)
  }
  for (const [index, question] of questions.entries()) {
    const isFirst = index === 0
    const began = caller.now
    const phase = isFirst ? room.mute : undefined
    const cut = phase === 'in the question' ? question.subarray(0, Math.round(question.length * 0.7)) : question
    await caller.say(cut)
    const lastWord = performance.now()
    if (phase === 'in the question') mute(true)
    if (phase === 'after the last word') {
      await caller.until(() => false, 0.1)
      mute(true)
    }
    await caller.until(() => caller.find('stt_output', began) !== undefined, PATIENCE)
    const heard = caller.find('stt_output', began)
    const end = log.ends.find((at) => at > lastWord)
    if (!isWhole(cut, log.files.at(-1))) cuts += 1
    seconds.push(heard === undefined || end === undefined ? undefined : (end - lastWord) / 1000)
    transcripts.push(heard?.message.transcript ?? '')
    if (phase === 'while the agent works') mute(true)
    const answered = heard?.at ?? caller.now
    const before = caller.heardSeconds
    await caller.until(() => caller.heardSeconds > before + 1.5, PATIENCE)
    if (phase === 'after a cough' || (isFirst && room.coughs === true)) {
      await caller.say(cough)
      if (phase === 'after a cough') mute(true)
    }
    // The second question is asked into the answer, except where its echo is measured.
    const speaksInto = isFirst && room.mute === undefined && room.echo === undefined && room.coughs !== true
    if (speaksInto) continue
    const ended = await caller.until(() => caller.find('turn_end', answered) !== undefined && caller.isSilent, PATIENCE)
    if (!ended) hung += 1
    mute(false)
    await caller.until(() => false, 1)
  }
  caller.close()
  const turns = caller.messages.filter(({ message }) => message.type === 'stt_output').length
  const said = QUESTIONS.flatMap((question) => wordsOf(question))
  const understood = new Set(transcripts.flatMap((transcript) => wordsOf(transcript)))
  return {
    room: room.name,
    seconds,
    words: said.filter((word) => understood.has(word)).length / said.length,
    cut: cuts,
    others: Math.max(0, turns - seconds.filter((second) => second !== undefined).length),
    hung,
  }
}

/** Bytes before the samples of a WAV file. */
const WAV_HEAD = 44
/** Samples at both ends of a question that its recording must have: a word. */
const WORD = 0.3 * RATE

function isWhole(question: Int16Array, file: Uint8Array | undefined): boolean {
  if (file === undefined) return false
  const recording = new Int16Array(Uint8Array.from(file.subarray(WAV_HEAD)).buffer)
  return [question.subarray(0, WORD), question.subarray(-WORD)].every((word) => holds(recording, word))
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/\p{L}+/gu) ?? []
}

/** The rows as a table in Markdown, the detectors side by side. */
export function liveTable(rows: Readonly<Record<string, readonly LiveRow[]>>): string {
  const names = Object.keys(rows)
  const [first = []] = Object.values(rows)
  const cell = ({ seconds, words, cut, others, hung }: LiveRow): string => {
    const times = seconds.map((second) => (second === undefined ? 'none' : `${second.toFixed(1)} s`)).join(', ')
    const faults = [cut > 0 && `${cut} cut`, others > 0 && `${others} more turns`, hung > 0 && `${hung} hung`].filter(
      (fault) => fault !== false,
    )
    return [`${times}; ${Math.round(words * 100)} %`, ...faults].join('; ')
  }
  const lines = first.map(({ room }, index) =>
    [room, ...names.map((name) => (rows[name]?.[index] === undefined ? '' : cell(rows[name][index])))].join(' | '),
  )
  return [
    `| Room | ${names.join(' | ')} |`,
    `| --- | ${names.map(() => '---').join(' | ')} |`,
    ...lines.map((line) => `| ${line} |`),
  ].join('\n')
}

/** What is wrong with the rows: ends that are late, words that are lost, turns that nobody began or that did not end. */
export function liveFaults(rows: readonly LiveRow[]): string[] {
  const silence = rows[0]?.seconds ?? []
  const late = rows.filter(({ seconds }) =>
    seconds.some((found, index) => found === undefined || found > (silence[index] ?? 0) + 1.2),
  )
  return [
    ...(late.length * 10 > rows.length ? late.map(({ room }) => `${room}: the end is found late`) : []),
    ...rows.filter(({ cut }) => cut > 0).map(({ room }) => `${room}: a word of the user is lost`),
    ...rows.filter(({ others }) => others > 0).map(({ room }) => `${room}: a turn that nobody began`),
    ...rows.filter(({ hung }) => hung > 0).map(({ room }) => `${room}: a turn that did not end`),
  ]
}
