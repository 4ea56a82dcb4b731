import { EngineFailedError } from '@svc-audio/engine-ports'
import { findSpeech, type SpeechSpan } from '@svc-audio/engine-ports/listening'
import type { ModelPool } from './model-pool.ts'

/**
 * Finds the speech in an utterance.
 * @param vad Processes with a model that finds speech. @default the engines' own measure
 */
export async function findSpans(
  samples: Int16Array,
  vad: ModelPool | undefined,
  signal: AbortSignal,
): Promise<readonly SpeechSpan[]> {
  if (vad === undefined) return [findSpeech(samples) ?? []].flat()
  const reply = await vad.run({ type: 'find', samples }, signal)
  if (!('spans' in reply)) throw new EngineFailedError('The model that finds speech gave no times')
  return reply.spans
}
