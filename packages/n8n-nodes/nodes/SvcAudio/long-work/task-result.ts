import { ProtocolError, type SpeechResult, type SpeechTask, type TranscriptionTask } from '@svc-audio/core/pure'
import type { AnyTranscription } from '../operations/transcription/transcript-text.ts'

/** The result of a speech task, as a request without a task answers it. @throws ProtocolError without a URL */
export function audioResult(task: SpeechTask, format: string): SpeechResult {
  const { id, object, status, url, created_at, response_format = format, content_type = '' } = task
  if (url === undefined) throw new ProtocolError('The task has ended without the URL of its audio')
  return {
    id,
    object: object === 'audio.voice_generation' ? object : 'audio.speech',
    status,
    url,
    response_format,
    content_type,
    created_at,
  }
}

/** The fields of a task that are not its result (interface: Task object). */
const TASK_FIELDS: ReadonlySet<string> = new Set([
  'id',
  'object',
  'status',
  'created_at',
  'updated_at',
  'retry_after',
  'error',
])

/** The transcript of a task, as a request without a task answers it. @throws ProtocolError without a text */
export function transcriptResult(task: TranscriptionTask): AnyTranscription {
  const { text } = task
  if (text === undefined) throw new ProtocolError('The task has ended without a text')
  const entries = Object.entries(task).filter(([name]) => !TASK_FIELDS.has(name))
  return { text, ...Object.fromEntries(entries) }
}
