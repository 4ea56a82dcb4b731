import type { Diarization } from '../../ports/diarization-engine.ts'

/** What a diarizer thread is told: any number of `samples`, then `end`. It does one recording and is used up then. */
export type ThreadRequest =
  | { readonly type: 'samples'; readonly samples: Int16Array<ArrayBuffer> }
  | { readonly type: 'end' }

/**
 * What a diarizer thread answers: `consumed` for each `samples`, when it holds them no longer, and the `result` at the
 * end. It reports errors by throwing them, which ends it.
 */
export type ThreadReply = { readonly type: 'consumed' } | { readonly type: 'result'; readonly diarization: Diarization }
