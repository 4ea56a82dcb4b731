/** Cost of one piece of work in a process of its own. */
export interface Measurement<Result> {
  /** What the work returned. */
  readonly result: Result
  /** Largest resident size of the process in its whole life, in bytes. */
  readonly peakBytes: number
  /** User and system time of the work alone, all threads, in seconds. Start-up and imports are left out. */
  readonly cpuSeconds: number
}

/** What a module that is measured exports. Its imports are loaded before the clock starts. */
export interface MeasuredModule<Args, Result> {
  readonly run: (args: Args) => Promise<Result>
}
