import type { PureAudioClient, TranscriptionSegment, TranscriptionSource } from '@svc-audio/core/pure'
import { endedTask, isLocal, textField } from '../../lib/client.ts'

/** A transcript with the changes of the user. The browser stores it. */
export interface Transcript {
  /** The task of a live transcript, else an id of this browser. */
  readonly id: string
  /** Of the audio. */
  readonly name: string
  /** Unix milliseconds. */
  readonly at: number
  /** From the click to the transcript, in milliseconds. Absent until it is complete, and for one of somebody else. */
  readonly ms?: number
  /** See {@link AudioSource}. */
  readonly said?: string
  /** What is still to do. Absent when it is complete. */
  readonly work?: Work
  /** Absent while it runs, and when the task alone has it. */
  readonly result?: Result
  /** Corrected texts, by the id of the turn. */
  readonly texts: Readonly<Record<string, string>>
  /** Names of the speakers, by their label. */
  readonly names: Readonly<Record<string, string>>
}

/** A transcription that is not complete. It survives a reload. */
export interface Work {
  readonly state: 'waiting' | 'running' | 'failed'
  /** Why it failed, in a sentence. */
  readonly failure?: string
  /** What the user asked for. */
  readonly draft: TranscribeDraft
  /** Where its audio is. Absent for a file, which the browser stores under the id of the transcript. */
  readonly remote?: { readonly file_id: string } | { readonly url: string }
  /** The task that continues without the page. */
  readonly task?: string
}

/** A transcript with work to do. */
export type Unfinished = Transcript & { readonly work: Work }

/** A transcript that begins. */
export function newTranscript(id: string, source: AudioSource, draft: TranscribeDraft): Unfinished {
  const { name, said } = source
  const remote = 'file' in source ? undefined : 'url' in source ? { url: source.url } : { file_id: source.file_id }
  const work: Work = { state: 'waiting', draft, ...(remote === undefined ? {} : { remote }) }
  return { id, name, at: Date.now(), texts: {}, names: {}, work, ...(said === undefined ? {} : { said }) }
}

/** A result with the corrections of the user. */
export function correctedResult(result: Result, { texts }: Transcript): Result {
  return { ...result, turns: result.turns.map((turn) => ({ ...turn, text: texts[turn.id] ?? turn.text })) }
}

/** Transcripts in the history. */
const MAX_TRANSCRIPTS = 20

/** Characters that the results may take. The storage of a browser has about five million for everything. */
const MAX_STORED = 2_000_000

/** The first words of a result, for a list. */
export function firstWords({ text, turns }: Result): string {
  return (text || (turns[0]?.text ?? '')).slice(0, 100)
}

/**
 * Adds a transcript in front, or replaces the one with its id in its place.
 * @param canReload Whether the task of a transcript has its result: it may leave the storage.
 */
export function withTranscript(
  before: readonly Transcript[],
  transcript: Transcript,
  canReload: (id: string) => boolean,
): readonly Transcript[] {
  const known = before.some(({ id }) => id === transcript.id)
  const all = known ? before.map((one) => (one.id === transcript.id ? transcript : one)) : [transcript, ...before]
  let size = 0
  // Work that is not done stays, however much there is.
  const kept = all.filter((one, index) => index < MAX_TRANSCRIPTS || one.work !== undefined)
  return kept.map((one) => {
    size += JSON.stringify(one.result ?? '').length
    if (size <= MAX_STORED || !canReload(one.id)) return one
    const { result: _result, ...rest } = one
    return rest
  })
}

/** Audio to transcribe: a file, a stored file, or an address. */
export type AudioSource = {
  /** For people. */
  readonly name: string
  /** The spoken text, if known. With it, the panel shows the word error rate. */
  readonly said?: string
} & ({ readonly file: Blob } | { readonly file_id: string } | { readonly url: string })

/** What the panel asks for: all of it survives a reload. */
export interface TranscribeDraft {
  readonly model: 'svc-transcribe-1.0' | 'svc-transcribe-diarize-pro'
  /** Shows the text while the service recognizes. Only with speakers. */
  readonly live: boolean
  /** Names and terms, one per line. Only with speakers. */
  readonly keyterms: string
  readonly url: string
}

/** The first draft. */
export const FIRST_DRAFT: TranscribeDraft = { model: 'svc-transcribe-diarize-pro', live: true, keyterms: '', url: '' }

/** Model with speakers, times and a stream. */
export const SPEAKERS_MODEL = 'svc-transcribe-diarize-pro'

/** The key terms of a draft. */
export function keytermsOf({ keyterms }: TranscribeDraft): readonly string[] {
  return keyterms
    .split('\n')
    .map((term) => term.trim())
    .filter((term) => term !== '')
}

/** A speaker turn of a transcript. */
export interface Turn {
  readonly id: string
  readonly speaker: string
  /** The user may correct it. */
  readonly text: string
  /** Seconds. `undefined` while the stream runs: its events have no times. */
  readonly start: number | undefined
  readonly end: number | undefined
}

/** A transcript. */
export interface Result {
  readonly text: string
  /** Empty for the standard model. */
  readonly turns: readonly Turn[]
  /** Seconds of audio, if the service says it. */
  readonly duration: number | undefined
}

/** A turn of the service's segment. */
export function turnOf({ id, speaker, text, start, end }: TranscriptionSegment): Turn {
  return { id, speaker, text, start, end }
}

/** A turn with its times. */
export type TimedTurn = Turn & { readonly start: number; readonly end: number }

/** Whether the times of a turn are known. */
export function isTimed(turn: Turn): turn is TimedTurn {
  return turn.start !== undefined && turn.end !== undefined
}

/** The speakers in the order of their first turn. */
export function speakersOf(turns: readonly Turn[]): readonly string[] {
  return [...new Set(turns.map(({ speaker }) => speaker))]
}

/** The turn that is heard at a position, in seconds. */
export function turnAt(turns: readonly Turn[], position: number): Turn | undefined {
  return turns.find((turn) => isTimed(turn) && position >= turn.start && position < turn.end)
}

/** The whole text with the corrections of the turns. */
export function correctedText({ text, turns }: Result): string {
  return turns.length === 0 ? text : turns.map((turn) => turn.text).join('\n')
}

/** A transcription to make, and its listeners. */
interface TranscriptionJob {
  readonly client: PureAudioClient
  readonly source: AudioSource
  readonly draft: TranscribeDraft
  readonly signal: AbortSignal
  /** A task of a visit before, which has continued without the page. */
  readonly task?: string | undefined
  /** The service has begun a task. @param stays Whether it continues without the page; a live one ends with it. */
  readonly onTask: (id: string, stays: boolean) => void
  /** Live only: the turns so far, and the text of the turn that is not complete. */
  readonly onProgress: (turns: readonly Turn[], pending: string) => void
}

/**
 * Transcribes audio as the draft says.
 * @throws errors of the client
 */
export async function transcribeSource(job: TranscriptionJob): Promise<Result> {
  const { client, source, draft, signal } = job
  const audio = audioOf(source)
  if (job.task !== undefined) return (await loadTranscript(client, job.task, signal)).result
  if (isLong(source)) return inTask(job)
  if (draft.model !== SPEAKERS_MODEL) {
    const { text } = await client.transcriptions.create({ model: draft.model, ...audio }, { signal })
    return { text, turns: [], duration: undefined }
  }
  if (draft.live) return stream(job)
  const body = { model: SPEAKERS_MODEL, ...audio, keyterms: keytermsOf(draft) } as const
  const { text, segments, duration } = await client.transcriptions.create(body, { signal })
  return { text, turns: segments.map(turnOf), duration }
}

/** Bytes from which a file is a long recording: an hour of MP3 has about 30 MB. */
const LONG_BYTES = 10_000_000

/** Whether the transcription of a file continues without the page, as a task. Its text comes at the end. */
function isLong(source: AudioSource): boolean {
  return 'file' in source && source.file.size >= LONG_BYTES
}

async function inTask({ client, source, draft, signal, onTask }: TranscriptionJob): Promise<Result> {
  const terms = draft.model === SPEAKERS_MODEL ? { keyterms: keytermsOf(draft) } : {}
  const { id } = await client.transcriptions.createTask(
    { model: draft.model, ...audioOf(source), ...terms },
    { signal },
  )
  onTask(id, true)
  return (await loadTranscript(client, id, signal)).result
}

async function stream({ client, source, draft, signal, onTask, onProgress }: TranscriptionJob): Promise<Result> {
  const body = { model: SPEAKERS_MODEL, ...audioOf(source), keyterms: keytermsOf(draft) } as const
  const events = await client.transcriptions.stream(body, { signal })
  const turns: Turn[] = []
  let pending = ''
  let text: string | undefined
  let task: string | undefined
  for await (const event of events) {
    if (task === undefined && events.taskId !== undefined) {
      task = events.taskId
      onTask(task, false)
    }
    if (event.type === 'transcript.text.delta') pending += event.delta
    else if (event.type === 'transcript.segment.done') {
      const { content_index: index, speaker, text: said } = event
      turns.push({ id: String(index), speaker, text: said, start: undefined, end: undefined })
      pending = ''
    } else if (event.type === 'transcript.text.done') text = event.text
    else continue
    onProgress([...turns], pending)
  }
  return withTimes(client, events.taskId, { text: text ?? textOf(turns, pending), turns, duration: undefined }, signal)
}

function textOf(turns: readonly Turn[], pending: string): string {
  return [...turns.map((turn) => turn.text), pending].join(' ').trim()
}

/**
 * The events of a stream have no times. The task of the stream may have them: the self-hosted service stores the same
 * fields as a synchronous response. Without them, the transcript is still complete.
 */
async function withTimes(
  client: PureAudioClient,
  taskId: string | undefined,
  result: Result,
  signal: AbortSignal,
): Promise<Result> {
  if (taskId === undefined) return result
  const task = await client.tasks.retrieve(taskId, { signal }).catch(() => undefined)
  signal.throwIfAborted()
  const { turns, duration } = resultOf(task ?? {})
  return turns.length === 0 ? result : { ...result, turns, duration }
}

/**
 * Reads the transcript of a task, which may still run.
 * @returns the result, and when the task was created in Unix milliseconds
 * @throws errors of the client, e.g. for a task that failed or that the service has deleted
 */
export async function loadTranscript(
  client: PureAudioClient,
  id: string,
  signal?: AbortSignal,
): Promise<{ readonly result: Result; readonly at: number }> {
  if (isLocal(id)) throw new Error('This transcript is no longer in the storage of the browser')
  const task = await endedTask(client, id, signal)
  if (textField(task, 'text') === undefined) throw new Error(`The task ${id} has no transcript`)
  return { result: resultOf(task), at: task.created_at * 1000 }
}

/** The result of a task. The interface does not document its fields. */
function resultOf(task: object): Result {
  const [text, segments, duration]: unknown[] = ['text', 'segments', 'duration'].map((name) => Reflect.get(task, name))
  return {
    text: typeof text === 'string' ? text : '',
    turns: Array.isArray(segments) ? segments.filter(isSegment).map(turnOf) : [],
    duration: typeof duration === 'number' ? duration : undefined,
  }
}

function isSegment(value: unknown): value is Parameters<typeof turnOf>[0] {
  const typeOf = (name: string): string => typeof Reflect.get(new Object(value), name)
  const timed = typeOf('start') === 'number' && typeOf('end') === 'number'
  return timed && typeOf('text') === 'string' && typeOf('speaker') === 'string'
}

function audioOf(source: AudioSource): TranscriptionSource {
  if ('file' in source) return { file: { data: source.file, name: source.name } }
  return 'file_id' in source ? { file_id: source.file_id } : { url: source.url }
}
