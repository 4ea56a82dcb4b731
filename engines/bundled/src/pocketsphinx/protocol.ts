import type { RecognizedWord, Recognition } from '@svc-audio/engine-ports'
import type { PocketSphinx } from './package-files.ts'
import type { RecordingReply, RecordingRequest } from '../threads/recording-protocol.ts'

/** `workerData` of a recognition thread. */
export type ThreadData = PocketSphinx

/**
 * Messages to a recognition thread. A recording is `begin`, any number of `samples`, then `end` or `cancel`. The next
 * one begins only after its `result` or `cancelled`.
 */
export type ThreadRequest =
  | { readonly type: 'begin'; readonly keyterms: readonly string[] }
  | RecordingRequest
  | { readonly type: 'cancel' }

/**
 * Answers of a recognition thread: `consumed` after each `samples`, when it holds them no longer, and `heard` for each
 * utterance with words. The thread reports an error by throwing it, which ends the thread: after a trap its memory is
 * not reliable.
 */
export type ThreadReply =
  | RecordingReply<Recognition>
  | { readonly type: 'heard'; readonly words: readonly RecognizedWord[] }
  | { readonly type: 'cancelled' }
