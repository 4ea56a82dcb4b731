import { z } from 'zod'
import { SpeechToolError } from '../errors/speech-tool-error.ts'
import type { ResolvedOptions } from '../options/speech-tools-options.ts'
import type { RunScope } from '../run/run-context.ts'
import type { TranscriptStore } from '../transcripts/transcript-store.ts'
import type { TranscribeArtifact, TranscriptionTaskArtifact } from './artifacts.ts'
import { defineOperation, type OperationResult, type SpeechOperation } from './operation.ts'
import type { Transcriber } from './transcriber.ts'
import { getTranscript, showTranscript, taskTranscriptId } from './transcripts.ts'

/** Arguments of `get_transcription`. */
export type GetTranscriptionSchema = z.ZodObject<{
  /** Id of the task, as `start_transcription` gave it. */
  task_id: z.ZodString
}>

/** The transcript of a task, or how far it is. Asking costs nothing. */
export function getTranscriptionOperation(
  options: ResolvedOptions,
  transcriber: Transcriber,
  transcripts: TranscriptStore,
): SpeechOperation<GetTranscriptionSchema, TranscribeArtifact | TranscriptionTaskArtifact> {
  const { start_transcription: start } = options.names
  return defineOperation(options, {
    tool: 'get_transcription',
    title: 'Get a transcription',
    description: `Reads the transcript of a task that ${start} began, or tells that it is not ready yet.`,
    schema: z.object({ task_id: z.string().describe(`The task id as ${start} gave it.`) }),
    usage: `Give "task_id", the task id as ${start} returned it.`,
    readOnly: true,
    run: ({ task_id }, scope) => getTranscription(task_id, scope, transcriber, transcripts),
  })
}

async function getTranscription(
  given: string,
  scope: RunScope,
  transcriber: Transcriber,
  transcripts: TranscriptStore,
): Promise<OperationResult<TranscribeArtifact | TranscriptionTaskArtifact>> {
  const taskId = taskIdIn(given)
  const id = taskTranscriptId(taskId)
  const stored = await getTranscript(transcripts, id, scope)
  if (stored === undefined) {
    const { start_transcription: start } = scope.options.names
    const message = `There is no transcription with this task id. Give it exactly as ${start} returned it.`
    throw new SpeechToolError('task_not_found', message)
  }
  if (stored.status === 'ready') return showTranscript(id, stored, scope, transcriber.spentBy(scope))
  const { data: task, requestId } = await scope.client.tasks.retrieve(taskId, scope.call).withResponse()
  if (task.status === 'SUCCESS' || task.status === 'FAILED') {
    const transcript = await transcriber.end(task, stored, scope)
    return showTranscript(id, transcript, scope, transcriber.spentBy(scope), requestId)
  }
  const { retry_after: seconds } = task
  const when = typeof seconds === 'number' ? `in ${Math.ceil(seconds)} seconds` : 'in a while'
  return {
    content: `Not ready yet: ${task.status}. Ask again ${when}.`,
    artifact: {
      type: 'transcription_task',
      taskId,
      status: task.status,
      source: stored.source,
      spent: transcriber.spentBy(scope),
      ...(requestId === undefined ? {} : { requestId }),
    },
  }
}

function taskIdIn(given: string): string {
  return given
    .slice(0, 300)
    .trim()
    .replace(/^task(?: id)?\s*:\s*/i, '')
    .replace(/\.$/, '')
}
