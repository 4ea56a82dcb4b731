/** What the thread of one recording is told: any number of `samples`, then `end`. It is used up then. */
export type RecordingRequest =
  | { readonly type: 'samples'; readonly samples: Int16Array<ArrayBuffer> }
  | { readonly type: 'end' }

/**
 * What it answers: `consumed` for each `samples`, when it holds them no longer, and the `result`, at the end or before.
 * It reports errors by throwing them, which ends it.
 */
export type RecordingReply<Result> =
  | { readonly type: 'consumed' }
  | { readonly type: 'result'; readonly result: Result }
