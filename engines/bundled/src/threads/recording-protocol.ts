/** Messages to a thread with one recording: any number of `samples`, then `end`. */
export type RecordingRequest =
  | {
      readonly type: 'samples'
      readonly samples: Int16Array<ArrayBuffer>
      /** Whether the recording has become long. The thread then lowers its priority, for good. */
      readonly background?: boolean
    }
  | { readonly type: 'end' }

/**
 * Its answers: `consumed` after each `samples`, when it holds them no longer, and the `result`, at the end or before.
 * The thread reports an error by throwing it, which ends the thread.
 */
export type RecordingReply<Result> =
  | { readonly type: 'consumed' }
  | { readonly type: 'result'; readonly result: Result }
