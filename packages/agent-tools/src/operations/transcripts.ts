import { createHash } from 'node:crypto'
import { storeFailed } from '../errors/store-failed.ts'
import type { ResolvedOptions } from '../options/speech-tools-options.ts'
import type { RunScope } from '../run/run-context.ts'
import type { Spent } from '../run/spent.ts'
import { memoryTranscripts } from '../transcripts/memory-transcripts.ts'
import { quotedPart, readPart } from '../transcripts/read-part.ts'
import { isWordless, readableTranscript } from '../transcripts/transcript.ts'
import type { PendingTranscript, StoredTranscript, TranscriptStore } from '../transcripts/transcript-store.ts'
import type { TranscribeArtifact } from './artifacts.ts'
import type { OperationResult } from './operation.ts'

/** Maximum characters of text and segments in an artifact: a checkpointer copies it with every step. */
const MAX_ARTIFACT_CHARACTERS = 20_000

/** The transcript store of the application, or one in memory. */
export function transcriptsOf({ store }: ResolvedOptions): TranscriptStore {
  return store.transcripts ?? memoryTranscripts()
}

/** Id of the transcript of some audio. Stores keep users apart, so it need not be secret. */
export function transcriptId(key: string): string {
  return `transcript_${createHash('sha256').update(key).digest('hex').slice(0, 32)}`
}

/** Id of a task's transcript. */
export function taskTranscriptId(taskId: string): string {
  return transcriptId(JSON.stringify(['task', taskId]))
}

/** @throws SpeechToolError `store_failed` */
export async function getTranscript(
  transcripts: TranscriptStore,
  id: string,
  { access }: Pick<RunScope, 'access'>,
): Promise<StoredTranscript | PendingTranscript | undefined> {
  try {
    return await transcripts.get(id, access)
  } catch (error) {
    throw storeFailed(error)
  }
}

/** @throws SpeechToolError `store_failed` */
export async function setTranscript(
  transcripts: TranscriptStore,
  id: string,
  transcript: StoredTranscript | PendingTranscript,
  { access }: Pick<RunScope, 'access'>,
): Promise<void> {
  try {
    await transcripts.set(id, transcript, access)
  } catch (error) {
    throw storeFailed(error)
  }
}

/** The beginning of a transcript for the model, and the artifact. */
export function showTranscript(
  id: string,
  transcript: StoredTranscript,
  { options }: Pick<RunScope, 'options'>,
  spent: Spent,
  requestId?: string,
): OperationResult<TranscribeArtifact> {
  const { text, segments, source, durationSeconds } = transcript
  const readable = readableTranscript(text, segments)
  const part = readPart(readable, 0, options.maxContentCharacters)
  const readTool = options.tools.includes('read_transcript') ? options.names.read_transcript : undefined
  const whole = text.length + JSON.stringify(segments ?? []).length <= MAX_ARTIFACT_CHARACTERS
  const artifact: TranscribeArtifact = {
    type: 'transcript',
    id,
    text: whole ? text : part.text,
    truncated: part.to < part.total,
    source,
    spent,
    ...(durationSeconds === undefined ? {} : { durationSeconds }),
    ...(whole && segments !== undefined ? { segments } : {}),
    ...(requestId === undefined ? {} : { requestId }),
  }
  return { content: isWordless(transcript) ? readable : quotedPart(part, id, readTool), artifact }
}
