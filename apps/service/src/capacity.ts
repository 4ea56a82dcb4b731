import { availableParallelism } from 'node:os'

/** How much runs at once on a machine. */
export interface Capacity {
  /** Pieces of work of one tenant at once, over all kinds. */
  readonly processors: number
  /** Speech threads, and encoders, of one tenant. */
  readonly speechThreads: number
  readonly encoders: number
  /** Recordings of one tenant that are transcribed at once. */
  readonly recognitionThreads: number
  /**
   * Open recordings of all tenants. A recording between two pieces needs no processor, but 100 MB of memory for its
   * recognizer and up to that much for its decoder.
   */
  readonly recordings: number
  /** Open encoders of all tenants. */
  readonly allEncoders: number
  /** Tasks of one tenant running, of each kind of engine. */
  readonly tasks: number
}

/** Tenants, beyond the first, whose long work never makes them wait for each other. */
const OTHER_TENANTS = 3

/** Returns the capacity of this machine. Of each resource there is more than one tenant can hold. */
export function capacityOf(processors: number = availableParallelism()): Capacity {
  const recognitionThreads = processors >= 4 ? 2 : 1
  return {
    processors: Math.max(2, processors),
    speechThreads: Math.min(2, processors),
    encoders: processors,
    recognitionThreads,
    recordings: recognitionThreads + OTHER_TENANTS,
    allEncoders: processors + OTHER_TENANTS,
    tasks: Math.max(2, processors),
  }
}
