import type { TaskTimeoutError } from '@svc-audio/core'
import { SpeechToolError } from '../errors/speech-tool-error.ts'
import { toSpeechToolError } from '../errors/to-speech-tool-error.ts'
import type { ResolvedOptions } from '../options/speech-tools-options.ts'
import type { RunScope } from '../run/run-context.ts'

/** Names of the tools that begin tasks, as a part of a sentence. */
export function startersOf({ tools, names, taskAfter }: ResolvedOptions): string {
  const starters = tools.filter(
    (tool) => tool === 'start_transcription' || (tool === 'transcribe' && taskAfter !== undefined),
  )
  return (starters.length === 0 ? (['start_transcription'] as const) : starters).map((tool) => names[tool]).join(' or ')
}

/** There is no such task, or the service has forgotten it. */
export function noTask({ options }: Pick<RunScope, 'options'>): SpeechToolError {
  const message = `There is no transcription with this task id. Give it exactly as ${startersOf(options)} returned it.`
  return new SpeechToolError('task_not_found', message)
}

/** Names the tool that reads a running task to the model. */
export function stillRunning(error: TaskTimeoutError, { options: { tools, names } }: RunScope): unknown {
  if (!tools.includes('get_transcription')) return error
  const message = `The transcription is still running. Call ${names.get_transcription} with the task id ${error.taskId} in a while.`
  return new SpeechToolError('timeout', message, { retryable: true, cause: error })
}

/** After a deadline, names the tool for long recordings to the model. */
export function tooLong(error: unknown, { options: { tools, names } }: RunScope): unknown {
  if (!tools.includes('start_transcription') || !tools.includes('get_transcription')) return error
  const failure = toSpeechToolError(error)
  if (failure.code !== 'timeout') return error
  const message = `The audio service took too long. Call ${names.start_transcription} with this audio instead.`
  const { retryable, requestId } = failure
  return new SpeechToolError('timeout', message, { retryable, requestId, cause: error })
}
