/** Cost of one piece of work in a separate process. */
export interface Measurement<Result> {
  /** Result of the work. */
  readonly result: Result
  /** Largest resident size of the process in its whole life, in bytes. */
  readonly peakBytes: number
  /** User and system time of the work, all threads, in seconds, without start-up and imports. */
  readonly cpuSeconds: number
}

/** Exports of a measured module. Its imports load before the clock starts. */
export interface MeasuredModule<Args, Result> {
  readonly run: (args: Args) => Promise<Result>
}
