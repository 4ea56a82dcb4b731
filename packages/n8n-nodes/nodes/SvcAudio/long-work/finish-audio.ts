import type { SpeechTask } from '@svc-audio/core/pure'
import { audioFile, audioReference } from '../operations/audio-output.ts'
import type { FileTarget } from '../operations/file-target.ts'
import type { Item } from '../operations/item.ts'
import type { ItemOutput } from '../operations/operation.ts'
import { audioResult } from './task-result.ts'

/** What happens to the audio of a task. */
export interface AudioPlan {
  readonly kind: 'audio'
  /** Format that was asked for. */
  readonly format: string
  /** The binary field for the audio. Absent if the URL is output. */
  readonly target?: FileTarget
}

/** The audio of a task as the node outputs it without a task: a binary field, or its URL. */
export async function finishAudio(item: Item, task: SpeechTask, { format, target }: AudioPlan): Promise<ItemOutput> {
  const result = audioResult(task, format)
  if (target === undefined) return audioReference(item, result)
  const audio = await item.audio()
  return audioFile(item, await audio.download(result, item.call), result.response_format, target)
}
