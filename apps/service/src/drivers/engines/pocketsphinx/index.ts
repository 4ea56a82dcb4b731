import { availableParallelism } from 'node:os'

import type { RecognitionEngine } from '../../../ports/recognition-engine.ts'
import { PocketSphinxEngine } from './pocketsphinx-engine.ts'
import { prepareModule } from './prepare-module.ts'
import type { StartThread } from '../threads/thread.ts'

export { sweepCache } from './module-cache.ts'

/** Options of {@link createPocketSphinxEngine}. */
export interface PocketSphinxEngineOptions {
  /**
   * Folder where the recognizer's rewritten code (0.5 MB) is stored for the next start; made when it is missing. Without
   * it, each engine takes another second at its first recording.
   */
  readonly cacheDir?: string
  /**
   * Most recordings at a time; further ones wait their turn. Each takes a core and 250 MB of memory, which are given
   * back after a minute without work.
   * @default 2 with four cores or more, else 1
   */
  readonly workers?: number
  /** Starts their threads. @default in this process */
  readonly startThread?: StartThread
}

/**
 * A recognizer of English speech, PocketSphinx as WebAssembly with its own model: nothing to install, no network. It is
 * of draft quality: one to ten errors in a hundred plain words of synthetic speech, twenty or more with people's, in
 * lower case, without punctuation and numerals. Silence, noise and steady tones give the empty text.
 *
 * With keyterms it loads a model of its own for that recording, half a second of work whatever their number. Measured
 * with ten made-up names in ten sentences of flite voice rms: none is found without keyterms, all ten with them, also
 * among a hundred, and the words of sentences without them stay the same.
 *
 * Loads in the background at the first recording (about half a second), which waits for that; when it fails, that
 * recording rejects with a {@link RecognitionFailedError} and the next one retries. After a minute without work its
 * threads end, and the next recording takes about 0.7 s longer. An idle engine does not keep the process alive.
 *
 * `recognize` rejects with a {@link RecognitionFailedError} when the recognizer fails, which does no harm to others, and
 * with a {@link RecognizerClosedError} after `close`.
 *
 * @throws RangeError when `workers` is not a whole number from 1.
 */
export async function createPocketSphinxEngine(options: PocketSphinxEngineOptions = {}): Promise<RecognitionEngine> {
  const { cacheDir, workers = availableParallelism() >= 4 ? 2 : 1, startThread } = options
  if (!Number.isInteger(workers) || workers < 1) throw new RangeError('workers must be a whole number from 1')
  return new PocketSphinxEngine({
    workers,
    startThread,
    prepare: (signal) => prepareModule({ cacheDir, signal, startThread }),
  })
}
