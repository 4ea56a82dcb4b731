import type { SpeechTask } from '@svc-audio/core/pure'
import { audioFile, audioReference } from '../operations/audio-output.ts'
import type { Item } from '../operations/item.ts'
import type { ItemOutput } from '../operations/operation.ts'
import type { AudioPlan } from './plan.ts'
import { audioResult } from './task-result.ts'

/** The audio of a task as the node outputs it without a task: a binary field, or its URL. */
export async function finishAudio(item: Item, task: SpeechTask, { format, target }: AudioPlan): Promise<ItemOutput> {
  const result = audioResult(task, format)
  if (target === undefined) return audioReference(item, result)
  const audio = await item.audio()
  return audioFile(item, await audio.download(result, item.call), result.response_format, target)
}
