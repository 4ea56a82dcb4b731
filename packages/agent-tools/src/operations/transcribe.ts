import { z } from 'zod'
import { countOf } from '../errors/speech-tool-error.ts'
import type { ResolvedOptions } from '../options/speech-tools-options.ts'
import type { RunScope } from '../run/run-context.ts'
import { SharedWork } from '../run/shared-work.ts'
import type { AudioSource } from '../sources/allowed-file.ts'
import { accepted } from '../sources/open-source.ts'
import { isAudioId, type PendingTranscript, type TranscriptView } from '../store/audio-store.ts'
import { asSubtitles, SUBTITLE_FORMATS, withNames } from '../transcripts/transcript.ts'
import type { TranscribeArtifact, TranscriptionTaskArtifact } from './artifacts.ts'
import { defineOperation, invalidArguments, type OperationResult, type SpeechOperation } from './operation.ts'
import { type Transcribed, type Transcriber, type Unfinished, withinLimit } from './transcriber.ts'
import { noTask, startersOf } from './task-errors.ts'
import { audioTranscriptId, taskTranscriptId, transcriptId } from './transcripts.ts'

/** Arguments of `start_transcription`. */
export type AudioSchema = z.ZodObject<{
  /** Reference of stored audio, or a URL or path where the options allow them. */
  audio: z.ZodString
}>

/** Arguments of `transcribe`. */
export type TranscribeSchema = z.ZodObject<{
  /** Reference of stored audio, or a URL or path where the options allow them. */
  audio: z.ZodString
  /** Form of the transcript. @default 'text' */
  format: z.ZodOptional<z.ZodEnum<{ text: 'text'; srt: 'srt'; vtt: 'vtt' }>>
  /** Names of the speakers in the order of their first speech. @default labels such as S01 */
  speakers: z.ZodOptional<z.ZodArray<z.ZodString>>
}>

/** Audio to text; the model gets the beginning of a long transcript and how to read on. */
export function transcribeOperation(
  options: ResolvedOptions,
  transcriber: Transcriber,
): SpeechOperation<TranscribeSchema, TranscribeArtifact> {
  const usage = `Give the audio as "audio", a string: ${accepted(options)}.`
  const { names, taskAfter } = options
  const later =
    taskAfter === undefined
      ? ''
      : ` What takes long becomes a task: ${names.get_transcription} then gives the transcript.`
  return defineOperation(options, {
    tool: 'transcribe',
    title: 'Transcribe',
    description: `Writes down what is said in audio, as text or as subtitles. Takes ${accepted(options)}. The same audio in the same form is transcribed once.${later}`,
    schema: audioSchema(options).extend({
      format: z
        .enum(['text', ...SUBTITLE_FORMATS])
        .optional()
        .describe('srt or vtt for subtitles. Default: text.'),
      speakers: z
        .array(z.string())
        .optional()
        .describe('Names of the speakers in the order in which they first speak, to separate them.'),
    }),
    usage,
    readOnly: false,
    run({ audio, ...view }, scope) {
      if (audio.trim() === '') throw invalidArguments({ usage })
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a task comes only with the adapter option `taskAfter`
      return transcribe(audio, view, scope, transcriber) as Promise<OperationResult<TranscribeArtifact>>
    },
  })
}

async function transcribe(
  audio: string,
  view: TranscriptView,
  scope: RunScope,
  transcriber: Transcriber,
): Promise<OperationResult<TranscribeArtifact | TranscriptionTaskArtifact>> {
  const made = await transcriber.transcribe(audio, isPlain(view) ? scope : withSpeakers(scope))
  if ('transcript' in made) return showView(made, view, scope, transcriber)
  if (isPlain(view)) return showUnfinished(made, scope, transcriber)
  const viewId = viewIdOf(made.id, view)
  const { source } = made
  await transcriber.transcripts.set(viewId, { status: 'pending', source, transcriptId: made.id, view }, scope)
  return showUnfinished({ ...made, id: viewId }, scope, transcriber)
}

function isPlain({ format = 'text', speakers = [] }: TranscriptView): boolean {
  return format === 'text' && speakers.length === 0
}

/** Where a view of a transcript is stored, so that the model can read on in it. */
function viewIdOf(id: string, { format = 'text', speakers = [] }: TranscriptView): string {
  return transcriptId(JSON.stringify([id, format, speakers]))
}

async function showView(
  { id, transcript, requestId }: Transcribed,
  view: TranscriptView,
  scope: RunScope,
  transcriber: Transcriber,
): Promise<OperationResult<TranscribeArtifact>> {
  if (isPlain(view)) return transcriber.show(id, transcript, scope, requestId)
  const { format = 'text', speakers = [] } = view
  const named = withNames(transcript, speakers)
  const shown = format === 'text' ? named : asSubtitles(named, format)
  const viewId = viewIdOf(id, view)
  await transcriber.transcripts.set(viewId, shown, scope)
  return transcriber.show(viewId, shown, scope, requestId)
}

/** Tells how to get the transcript later. */
function showUnfinished(
  { id, source, status }: Unfinished,
  scope: RunScope,
  transcriber: Transcriber,
): OperationResult<TranscriptionTaskArtifact> {
  const content = `Not ready yet: ${status}. The transcription continues as a task. To get the transcript, call ${scope.options.names.get_transcription} with task_id "${id}".`
  const spent = transcriber.spentBy(scope)
  return { content, artifact: taskArtifact({ id, status, source, requestId: undefined, spent }) }
}

/** Names and subtitles need speakers and times, which this model gives. */
function withSpeakers(scope: RunScope): RunScope {
  return { ...scope, options: { ...scope.options, transcriptionModel: scope.options.speakerModel } }
}

/** The argument that names audio. */
function audioSchema(options: ResolvedOptions): AudioSchema {
  return z.object({ audio: z.string().describe(`The audio: ${accepted(options)}.`) })
}

/** A long recording as a task; the model asks for the transcript later. The same audio is transcribed once. */
export function startTranscriptionOperation(
  options: ResolvedOptions,
  transcriber: Transcriber,
): SpeechOperation<AudioSchema, TranscribeArtifact | TranscriptionTaskArtifact> {
  const { names } = options
  const starting = new SharedWork<OperationResult<TranscriptionTaskArtifact>>()
  const usage = `Give the audio as "audio", a string: ${accepted(options)}.`
  return defineOperation(options, {
    tool: 'start_transcription',
    title: 'Start a transcription',
    description: `Starts to write down what is said in a long recording and returns at once with a task id. Use ${names.get_transcription} to read the transcript later. Takes ${accepted(options)}.`,
    schema: audioSchema(options),
    usage,
    readOnly: false,
    run({ audio }, scope): Promise<OperationResult<TranscribeArtifact | TranscriptionTaskArtifact>> {
      if (audio.trim() === '') throw invalidArguments({ usage })
      return transcriber.withAudio<OperationResult<TranscribeArtifact | TranscriptionTaskArtifact>>(
        audio,
        scope,
        async (opened, share) => {
          const id = audioTranscriptId(opened, scope)
          const stored = await transcriber.transcripts.get(id, scope)
          if (stored?.status === 'ready') return transcriber.show(id, stored, scope)
          if (stored?.status === 'pending' && stored.taskId !== undefined)
            return showTask('Started before', { id: stored.taskId, status: 'PENDING' }, stored, scope, transcriber)
          // Simultaneous calls for the same audio share one task.
          const work = share(starting, id, (own) => start(id, opened, own, transcriber))
          return (await withinLimit(work, scope)) ?? showSending(id, opened, scope, transcriber)
        },
      )
    },
  })
}

async function start(
  ofAudio: string,
  opened: AudioSource,
  scope: RunScope,
  transcriber: Transcriber,
): Promise<OperationResult<TranscriptionTaskArtifact>> {
  const { task, pending, requestId } = await transcriber.begin(ofAudio, opened, scope)
  return showTask('Started', { id: task.id, status: task.creation.status }, pending, scope, transcriber, requestId)
}

/** The audio is still on its way. The same call again waits for its end. */
function showSending(
  id: string,
  { source }: AudioSource,
  scope: RunScope,
  transcriber: Transcriber,
): OperationResult<TranscriptionTaskArtifact> {
  const content = `The audio is still being sent. Call ${scope.options.names.start_transcription} with the same audio again in a while.`
  const view = { id, status: 'SENDING', source, requestId: undefined }
  return { content, artifact: taskArtifact({ ...view, spent: transcriber.spentBy(scope) }) }
}

function showTask(
  what: string,
  { id, status }: Pick<TaskView, 'id' | 'status'>,
  { source }: PendingTranscript,
  scope: RunScope,
  transcriber: Transcriber,
  requestId?: string,
): OperationResult<TranscriptionTaskArtifact> {
  const content = `${what}. Task: ${id}. Call ${scope.options.names.get_transcription} with this task id in a while.`
  return { content, artifact: taskArtifact({ id, status, source, requestId, spent: transcriber.spentBy(scope) }) }
}

interface TaskView extends Omit<TranscriptionTaskArtifact, 'type' | 'taskId' | 'requestId'> {
  readonly id: string
  readonly requestId: string | undefined
}

function taskArtifact({ id: taskId, requestId, ...rest }: TaskView): TranscriptionTaskArtifact {
  return { type: 'transcription_task', taskId, ...rest, ...(requestId === undefined ? {} : { requestId }) }
}

/** Arguments of `get_transcription`. */
export type GetTranscriptionSchema = z.ZodObject<{
  /** Id of the task, as `start_transcription`, or a `transcribe` that became a task, gave it. */
  task_id: z.ZodString
}>

/** The transcript of a task, or how far it is. Asking costs nothing. */
export function getTranscriptionOperation(
  options: ResolvedOptions,
  transcriber: Transcriber,
): SpeechOperation<GetTranscriptionSchema, TranscribeArtifact | TranscriptionTaskArtifact> {
  const starters = startersOf(options)
  const isWaiting = options.taskAfter !== undefined
  const description = isWaiting
    ? `Waits for the transcript of a task that ${starters} began. Call it again while it is not ready.`
    : `Reads the transcript of a task that ${starters} began, or tells that it is not ready yet.`
  return defineOperation(options, {
    tool: 'get_transcription',
    title: 'Get a transcription',
    description,
    schema: z.object({ task_id: z.string().describe(`The task id as ${starters} gave it.`) }),
    usage: `Give "task_id", the task id as ${starters} returned it.`,
    readOnly: true,
    run: ({ task_id }, scope) =>
      isWaiting ? awaitTranscription(task_id, scope, transcriber) : getTranscription(task_id, scope, transcriber),
  })
}

/** Waits for a transcript by the id of its task, or by where it will be stored. */
async function awaitTranscription(
  given: string,
  scope: RunScope,
  transcriber: Transcriber,
): Promise<OperationResult<TranscribeArtifact | TranscriptionTaskArtifact>> {
  const taskId = taskIdIn(given)
  // A service may have task ids of any shape.
  for (const id of [...(isAudioId(taskId) ? [taskId] : []), taskTranscriptId(taskId)]) {
    const stored = await transcriber.transcripts.get(id, scope)
    // A view is made of the transcript that it belongs to.
    const { transcriptId: base, view = {} } = stored?.status === 'pending' ? stored : {}
    const made = await transcriber.resume(isPlain(view) ? id : (base ?? id), scope)
    if (made === undefined) continue
    return 'transcript' in made
      ? showView(made, view, scope, transcriber)
      : showUnfinished({ ...made, id }, scope, transcriber)
  }
  throw noTask(scope)
}

async function getTranscription(
  given: string,
  scope: RunScope,
  transcriber: Transcriber,
): Promise<OperationResult<TranscribeArtifact | TranscriptionTaskArtifact>> {
  const taskId = taskIdIn(given)
  const id = taskTranscriptId(taskId)
  const stored = await transcriber.transcripts.get(id, scope)
  if (stored === undefined) throw noTask(scope)
  if (stored.status === 'ready') return transcriber.show(id, stored, scope)
  const { data: task, requestId } = await scope.client.tasks.retrieve(taskId, scope.call).withResponse()
  if (task.status === 'SUCCESS' || task.status === 'FAILED') {
    return transcriber.show(id, await transcriber.end(task, stored, scope), scope, requestId)
  }
  const { retry_after: seconds } = task
  const when = typeof seconds === 'number' ? `in ${countOf(Math.ceil(seconds), 'second')}` : 'in a while'
  return {
    content: `Not ready yet: ${task.status}. Ask again ${when}.`,
    artifact: taskArtifact({
      id: taskId,
      status: task.status,
      source: stored.source,
      requestId,
      spent: transcriber.spentBy(scope),
    }),
  }
}

function taskIdIn(given: string): string {
  return given
    .slice(0, 300)
    .trim()
    .replace(/^task(?:[ _]id)?\s*:\s*/i, '')
    .replaceAll(/^["'`]|["'`.]+$/g, '')
}
