/** Message of a measured server when it is ready. */
export interface ServerAddress {
  /** Address without `/v1`. */
  readonly origin: string
}

/** Cost of a measured server since the last report. */
export interface ServerCost {
  /** User and system time of all its threads, in seconds. */
  readonly cpuSeconds: number
  /** Resident size of the process at the last report, in bytes. */
  readonly residentBytes: number
  /** Peak resident size since then, in bytes. */
  readonly peakBytes: number
}
