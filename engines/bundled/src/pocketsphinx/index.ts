import { availableParallelism } from 'node:os'

import type { RecognitionEngine } from '@svc-audio/engine-ports'
import { checkWorkers } from '@svc-audio/engine-ports/driver'
import { PocketSphinxEngine } from './pocketsphinx-engine.ts'
import type { StartThread } from '../threads/thread.ts'

/** Options of {@link createPocketSphinxEngine}. */
export interface PocketSphinxEngineOptions {
  /**
   * Maximum recordings at a time; further ones queue. Each takes a core and 250 MB of memory. A minute without work frees
   * them.
   * @default 2 with four cores or more, else 1
   */
  readonly workers?: number
  /** Starts the threads. @default in this process */
  readonly startThread?: StartThread
  /** Returns whether the rest of a long recording must step back. @default it must */
  readonly othersWait?: (() => boolean) | undefined
}

/**
 * Makes a recognizer of English speech: PocketSphinx as WebAssembly with its model. Nothing to install, no network. Its
 * text is draft quality, in lower case, without punctuation and numerals: one to ten errors in a hundred plain words of
 * synthetic speech, twenty or more with people's speech. Silence, noise and steady tones give an empty text.
 *
 * Keyterms load a separate model for their recording, half a second of work for any number of terms. Measured with ten
 * made-up names in ten sentences of flite voice rms: it finds none without keyterms and all ten with them, also among a
 * hundred. The words of sentences without names stay the same.
 *
 * The first recording loads the engine (about half a second) and waits for it. After a failed load that recording
 * rejects with an EngineFailedError, and the next one retries. Threads idle for a minute exit, and the next
 * recording takes about 0.7 s longer. An idle engine does not keep the process alive.
 *
 * `recognize` rejects with an EngineFailedError when the recognizer fails or is not installed, which does not affect other
 * recordings, and with an EngineClosedError after `close`.
 *
 * @throws RangeError when `workers` is not a positive integer.
 */
export async function createPocketSphinxEngine(options: PocketSphinxEngineOptions = {}): Promise<RecognitionEngine> {
  const { workers = availableParallelism() >= 4 ? 2 : 1, startThread, othersWait } = options
  checkWorkers(workers)
  return new PocketSphinxEngine({ workers, startThread, othersWait })
}
