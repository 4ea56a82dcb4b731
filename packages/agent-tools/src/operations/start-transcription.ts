import type { ResolvedOptions } from '../options/speech-tools-options.ts'
import { openSource } from '../sources/open-source.ts'
import type { TranscriptStore } from '../transcripts/transcript-store.ts'
import type { TranscriptionTaskArtifact } from './artifacts.ts'
import { defineOperation, invalidArguments, type SpeechOperation } from './operation.ts'
import { accepted, audioSchema, type TranscribeSchema } from './transcribe.ts'
import type { Transcriber } from './transcriber.ts'
import { setTranscript, transcriptId } from './transcripts.ts'

/** A long recording as a task; the model asks for the transcript later. */
export function startTranscriptionOperation(
  options: ResolvedOptions,
  transcriber: Transcriber,
  transcripts: TranscriptStore,
): SpeechOperation<TranscribeSchema, TranscriptionTaskArtifact> {
  const { names } = options
  const usage = `Give the audio as "audio", a string: ${accepted(options)}.`
  return defineOperation(options, {
    tool: 'start_transcription',
    title: 'Start a transcription',
    description: `Starts to write down what is said in a long recording and returns at once with a task id. Use ${names.get_transcription} to read the transcript later. Takes ${accepted(options)}.`,
    schema: audioSchema(options),
    usage,
    readOnly: false,
    async run({ audio }, scope) {
      if (audio.trim() === '') throw invalidArguments({ usage })
      const opened = await openSource(audio, scope)
      try {
        const { source, body } = opened
        const taken = await transcriber.take(opened, scope)
        const { transcriptionModel: model } = options
        const call = scope.client.transcriptions.createTask({ model, ...body }, scope.call)
        const { data: task, requestId } = await call.withResponse().catch((error: unknown) => {
          transcriber.refund(taken, scope)
          throw error
        })
        // Proof of whose task it is: the service's tasks belong to the key, not to the user.
        await setTranscript(transcripts, taskTranscriptId(task.id), { status: 'pending', source }, scope)
        return {
          content: `Started. Task: ${task.id}. Call ${names.get_transcription} with this task id in a while.`,
          artifact: {
            type: 'transcription_task',
            taskId: task.id,
            status: task.creation.status,
            source,
            ...(requestId === undefined ? {} : { requestId }),
          },
        }
      } finally {
        await opened.close?.()
      }
    },
  })
}

/** Where a task's transcript is stored. */
export function taskTranscriptId(taskId: string): string {
  return transcriptId(JSON.stringify(['task', taskId]))
}
