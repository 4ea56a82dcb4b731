import { randomUUID } from 'node:crypto'
import type { ResolvedOptions } from '../options/speech-tools-options.ts'
import type { RunScope } from '../run/run-context.ts'
import { SharedWork } from '../run/shared-work.ts'
import type { AudioSource } from '../sources/audio-source.ts'
import { openSource } from '../sources/open-source.ts'
import type { PendingTranscript, TranscriptStore } from '../transcripts/transcript-store.ts'
import type { TranscribeArtifact, TranscriptionTaskArtifact } from './artifacts.ts'
import { defineOperation, invalidArguments, type OperationResult, type SpeechOperation } from './operation.ts'
import { accepted, audioSchema, type AudioSchema } from './transcribe.ts'
import { audioTranscriptId, sharedKey, type Transcriber, withSignal } from './transcriber.ts'
import { getTranscript, setTranscript, showTranscript, taskTranscriptId } from './transcripts.ts'

/** A long recording as a task; the model asks for the transcript later. The same audio is transcribed once. */
export function startTranscriptionOperation(
  options: ResolvedOptions,
  transcriber: Transcriber,
  transcripts: TranscriptStore,
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
    async run({ audio }, scope): Promise<OperationResult<TranscribeArtifact | TranscriptionTaskArtifact>> {
      if (audio.trim() === '') throw invalidArguments({ usage })
      const opened = await openSource(audio, scope)
      let handedOver = false
      try {
        const id = opened.key === undefined ? undefined : audioTranscriptId(opened, scope)
        const stored = id === undefined ? undefined : await getTranscript(transcripts, id, scope)
        if (id !== undefined && stored?.status === 'ready')
          return showTranscript(id, stored, scope, transcriber.spentBy(scope))
        if (stored?.status === 'pending' && stored.taskId !== undefined) {
          return showTask('Started before', { id: stored.taskId, status: 'PENDING' }, stored, scope, transcriber)
        }
        // Simultaneous calls for the same audio share one task.
        return await starting.run(sharedKey(id ?? randomUUID(), scope), scope.signal, async (signal) => {
          handedOver = true
          try {
            return await start(id, opened, withSignal(scope, signal), transcriber, transcripts)
          } finally {
            await opened.close?.()
          }
        })
      } finally {
        if (!handedOver) await opened.close?.()
      }
    },
  })
}

async function start(
  ofAudio: string | undefined,
  opened: AudioSource,
  scope: RunScope,
  transcriber: Transcriber,
  transcripts: TranscriptStore,
): Promise<OperationResult<TranscriptionTaskArtifact>> {
  const { source, body } = opened
  const { client, options, call } = scope
  const countedSeconds = await transcriber.checkedLength(opened, scope)
  const { data: task, requestId } = await transcriber.spend(countedSeconds, scope, () =>
    client.transcriptions.createTask({ model: options.transcriptionModel, ...body }, call).withResponse(),
  )
  const known = ofAudio === undefined ? {} : { transcriptId: ofAudio }
  const pending = { status: 'pending', source, taskId: task.id, countedSeconds, ...known } as const
  // Proof of whose task it is: the service's tasks belong to the key, not to the user.
  await setTranscript(transcripts, taskTranscriptId(task.id), pending, scope)
  if (ofAudio !== undefined) await setTranscript(transcripts, ofAudio, pending, scope)
  return showTask('Started', { id: task.id, status: task.creation.status }, pending, scope, transcriber, requestId)
}

function showTask(
  what: string,
  { id: taskId, status }: { readonly id: string; readonly status: TranscriptionTaskArtifact['status'] },
  { source }: PendingTranscript,
  scope: RunScope,
  transcriber: Transcriber,
  requestId?: string,
): OperationResult<TranscriptionTaskArtifact> {
  return {
    content: `${what}. Task: ${taskId}. Call ${scope.options.names.get_transcription} with this task id in a while.`,
    artifact: {
      type: 'transcription_task',
      taskId,
      status,
      source,
      spent: transcriber.spentBy(scope),
      ...(requestId === undefined ? {} : { requestId }),
    },
  }
}
