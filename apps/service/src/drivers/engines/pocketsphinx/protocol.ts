import type { RecognizedWord, Recognition } from '../../../ports/recognition-engine.ts'

/** `workerData` of a recognition thread. */
export interface ThreadData {
  /** The module, rewritten. */
  readonly binary: Uint8Array
  /** Size of the module's memory, in bytes. */
  readonly memoryBytes: number
}

/**
 * What a recognition thread is told. A recording is `begin`, any number of `samples`, then `end` or `cancel`; the next
 * one begins only after its `result` or `cancelled`.
 */
export type ThreadRequest =
  | { readonly type: 'begin'; readonly keyterms: readonly string[] }
  | { readonly type: 'samples'; readonly samples: Int16Array<ArrayBuffer> }
  | { readonly type: 'end' }
  | { readonly type: 'cancel' }

/**
 * What a recognition thread answers: `consumed` for each `samples`, when it holds them no longer, and `heard` for each
 * utterance with words. It reports errors by
 * throwing them, which ends it: after a trap nothing in it can be trusted.
 */
export type ThreadReply =
  | { readonly type: 'consumed' }
  | { readonly type: 'heard'; readonly words: readonly RecognizedWord[] }
  | { readonly type: 'result'; readonly recognition: Recognition }
  | { readonly type: 'cancelled' }
