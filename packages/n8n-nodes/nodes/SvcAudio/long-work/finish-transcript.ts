import type { TranscriptionTask } from '@svc-audio/core/pure'
import type { Item } from '../operations/item.ts'
import type { ItemOutput } from '../operations/operation.ts'
import { transcriptOutput } from '../operations/transcription/transcript-output.ts'
import type { TranscriptPlan } from './plan.ts'
import { transcriptResult } from './task-result.ts'

/** The transcript of a task as the node outputs it without a task. */
export function finishTranscript(
  item: Item,
  task: TranscriptionTask,
  { settings }: TranscriptPlan,
): Promise<ItemOutput> {
  return transcriptOutput(item, transcriptResult(task), settings)
}
