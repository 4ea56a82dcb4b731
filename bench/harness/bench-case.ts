/** One line of the report. The field names are those of `--json`. */
export interface BenchRow {
  readonly name: string
  /** Unit of `ours`, `limit` and `peers`. */
  readonly unit: string
  readonly ours: number
  /** The lower bound: the same work by hand, without a library. `null` if it has no meaning. */
  readonly limit: number | null
  /** Other libraries at the same work, by name. */
  readonly peers: Readonly<Record<string, number>>
  /** The quotient in `bar`, `null` for a bar on `ours` alone. */
  readonly ratio: number | null
  /** The requirement, e.g. `ours/limit ≤ 1.15`. */
  readonly bar: string
  /** Whether the requirement is met. A reported row is always ok. */
  readonly ok: boolean
}

/** Context of a case. */
export interface BenchContext {
  /** Aborted by Ctrl-C: stop, and leave no process running. */
  readonly signal: AbortSignal
  /** An empty folder for this run. The command removes it at its end. */
  readonly folder: string
  /** Size of the sent data in megabytes, from `--size`. @default the case's own */
  readonly megabytes?: number
  /** Reports the current measurement to the user. */
  readonly progress: (text: string) => void
}

/** A measurement. Every file in `bench/cases/` exports one as `benchCase`. */
export interface BenchCase {
  /** Name for `--only`. */
  readonly name: string
  /** One line for `--list`. */
  readonly description: string
  /** @throws when a measurement fails or a contestant's result is wrong; a missed bar is a row that is not ok. */
  readonly run: (context: BenchContext) => Promise<readonly BenchRow[]>
}
