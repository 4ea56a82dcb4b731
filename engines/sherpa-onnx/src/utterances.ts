import { EngineFailedError, RECOGNITION_SAMPLE_RATE } from '@svc-audio/engine-ports'
import { cancellableSource } from '@svc-audio/engine-ports/driver'
import {
  findSpeech,
  PcmReader,
  type SpeechSpan,
  type Utterance,
  type UtteranceSplitter,
} from '@svc-audio/engine-ports/listening'
import type { ModelPool } from './model-process.ts'

/**
 * Reads a recording, and hears its utterances one after the other.
 * @returns The number of its samples
 * @throws The signal's reason when it aborts
 */
export async function readUtterances(
  pcm: AsyncIterable<Uint8Array>,
  splitter: UtteranceSplitter,
  signal: AbortSignal,
  hear: (utterance: Utterance) => Promise<void>,
): Promise<number> {
  const reader = new PcmReader(cancellableSource(pcm, signal))
  let samples = 0
  const hearAll = async (utterances: Iterable<Utterance>): Promise<void> => {
    for (const utterance of utterances) await hear(utterance)
  }
  try {
    for (let block = await reader.next(); block !== undefined; block = await reader.next()) {
      samples += block.length
      await hearAll(splitter.push(block))
    }
    await hearAll(splitter.end())
    signal.throwIfAborted()
    return samples
  } finally {
    reader.leave()
  }
}

/** Longest silence inside a sentence, in samples. A recognizer hears a sentence better than its parts. */
const INSIDE = 0.7 * RECOGNITION_SAMPLE_RATE

/** Sound around speech that belongs to it, in samples: a model that finds speech cuts soft sounds off. */
const AROUND = 0.15 * RECOGNITION_SAMPLE_RATE

/**
 * Joins spans of speech with less than a pause between them, and widens them a little.
 * @param length Samples of the utterance.
 */
export function joinSpans(spans: readonly SpeechSpan[], length: number): readonly SpeechSpan[] {
  const joined: SpeechSpan[] = []
  for (const { start, end } of spans) {
    const last = joined.at(-1)
    const to = Math.min(length, end + AROUND)
    if (last === undefined || start - last.end > INSIDE - AROUND)
      joined.push({ start: Math.max(0, start - AROUND), end: to })
    else joined[joined.length - 1] = { start: last.start, end: to }
  }
  return joined
}

/** Copies samples, with silence before and after them. @param silence Its length on each side, in samples */
export function surrounded(samples: Int16Array, silence: number): Int16Array<ArrayBuffer> {
  const whole = new Int16Array(samples.length + 2 * silence)
  whole.set(samples, silence)
  return whole
}

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
