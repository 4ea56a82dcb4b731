/** What a measured server tells once it answers. */
export interface ServerAddress {
  /** Address without `/v1`. */
  readonly origin: string
}

/** What a measured server has cost since it was last asked. */
export interface ServerCost {
  /** User and system time of all its threads, in seconds. */
  readonly cpuSeconds: number
  /** Resident size of the process when it was last asked, in bytes. */
  readonly residentBytes: number
  /** Largest resident size of the process since then, in bytes. */
  readonly peakBytes: number
}
