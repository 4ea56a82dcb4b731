import type { PureAudioClient, TranscriptionSource } from '@svc-audio/core/pure'
import { type Result, type Turn, turnOf } from './result.ts'
import { type AudioSource, keytermsOf, SPEAKERS_MODEL, type TranscribeDraft } from './source.ts'

/** A transcription to make, and its listeners. */
export interface TranscriptionJob {
  readonly client: PureAudioClient
  readonly source: AudioSource
  readonly draft: TranscribeDraft
  readonly signal: AbortSignal
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

async function stream({ client, source, draft, signal, onProgress }: TranscriptionJob): Promise<Result> {
  const body = { model: SPEAKERS_MODEL, ...audioOf(source), keyterms: keytermsOf(draft) } as const
  const events = await client.transcriptions.stream(body, { signal })
  const turns: Turn[] = []
  let pending = ''
  let text: string | undefined
  for await (const event of events) {
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
 * fields as a synchronous answer. Without them, the transcript is still complete.
 */
async function withTimes(
  client: PureAudioClient,
  taskId: string | undefined,
  result: Result,
  signal: AbortSignal,
): Promise<Result> {
  if (taskId === undefined) return result
  const task: unknown = await client.tasks.retrieve(taskId, { signal }).catch(() => undefined)
  signal.throwIfAborted()
  const segments: unknown = Reflect.get(new Object(task), 'segments')
  const duration: unknown = Reflect.get(new Object(task), 'duration')
  const timed = Array.isArray(segments) ? segments.filter(isSegment) : []
  if (timed.length === 0) return result
  return { ...result, turns: timed.map(turnOf), duration: typeof duration === 'number' ? duration : undefined }
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
