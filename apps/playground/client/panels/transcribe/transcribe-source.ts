import type { PureAudioClient, TranscriptionSource } from '@svc-audio/core/pure'
import { endedTask, isLocal, textField } from '../../lib/client.ts'
import {
  type AudioSource,
  keytermsOf,
  type Result,
  SPEAKERS_MODEL,
  type TranscribeDraft,
  type Turn,
  turnOf,
} from './transcript.ts'

/** A transcription to make, and its listeners. */
export interface TranscriptionJob {
  readonly client: PureAudioClient
  readonly source: AudioSource
  readonly draft: TranscribeDraft
  readonly signal: AbortSignal
  /** Live only: the service has begun a task. */
  readonly onTask: (id: string) => void
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
  if (draft.model !== SPEAKERS_MODEL) {
    const { text } = await client.transcriptions.create({ model: draft.model, ...audio }, { signal })
    return { text, turns: [], duration: undefined }
  }
  if (draft.live) return stream(job)
  const body = { model: SPEAKERS_MODEL, ...audio, keyterms: keytermsOf(draft) } as const
  const { text, segments, duration } = await client.transcriptions.create(body, { signal })
  return { text, turns: segments.map(turnOf), duration }
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
      onTask(task)
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
