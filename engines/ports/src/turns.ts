/** How a piece of work runs in its turn. */
export interface Turn {
  /**
   * Whether the work's tenant has more work than slots. Such work runs at a lower priority: the processor serves the
   * other tenants first.
   */
  readonly background: boolean
}

/**
 * Runs a piece of work when its caller's turn comes, and resolves with its result.
 * @param cost Estimated processor time of the work, in milliseconds. A caller with expensive work gets fewer turns.
 * @param signal Aborts the wait. The work has its own signal.
 * @throws The signal's reason when it aborts before the work starts; what `work` throws
 */
export type Turns = <T>(cost: number, signal: AbortSignal, work: (turn: Turn) => Promise<T>) => Promise<T>

/** Runs each piece of work at once. */
export const atOnce: Turns = (_cost, _signal, work) => work({ background: false })

/** Estimated processor time of one character of speech, in milliseconds. */
export const SPEECH_COST = 0.5

/** Estimated processor time of one second of audio to encode, in milliseconds. */
export const ENCODING_COST = 20
