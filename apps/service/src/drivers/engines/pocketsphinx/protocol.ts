import type { RecognizedWord, Recognition } from '../../../ports/recognition-engine.ts'

/** `workerData` of a recognition thread. */
export interface ThreadData {
  /** The rewritten module. */
  readonly binary: Uint8Array
  /** Size of the module's memory, in bytes. */
  readonly memoryBytes: number
}

/**
 * Messages to a recognition thread. A recording is `begin`, any number of `samples`, then `end` or `cancel`. The next
 * one begins only after its `result` or `cancelled`.
 */
export type ThreadRequest =
  | { readonly type: 'begin'; readonly keyterms: readonly string[] }
  | { readonly type: 'samples'; readonly samples: Int16Array<ArrayBuffer> }
  | { readonly type: 'end' }
  | { readonly type: 'cancel' }

/**
 * Answers of a recognition thread: `consumed` after each `samples`, when it holds them no longer, and `heard` for each
 * utterance with words. The thread reports an error by throwing it, which ends the thread: after a trap its memory is
 * not reliable.
 */
export type ThreadReply =
  | { readonly type: 'consumed' }
  | { readonly type: 'heard'; readonly words: readonly RecognizedWord[] }
  | { readonly type: 'result'; readonly recognition: Recognition }
  | { readonly type: 'cancelled' }
