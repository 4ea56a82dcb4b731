/** One line of the report. Its names are those of `--json`. */
export interface BenchRow {
  readonly name: string
  /** Unit of `ours`, `limit` and `peers`. */
  readonly unit: string
  readonly ours: number
  /** What is possible at all: the same work by hand, without a library. `null` where that means nothing. */
  readonly limit: number | null
  /** Others at the same work, by name. */
  readonly peers: Readonly<Record<string, number>>
  /** The quotient that `bar` names, `null` where the bar is about `ours` itself. */
  readonly ratio: number | null
  /** What is asked, in words such as `ours/limit ≤ 1.15`. */
  readonly bar: string
  /** Whether the bar is held; a row that is only reported is always ok. */
  readonly ok: boolean
}

/** What a case gets from the command. */
export interface BenchContext {
  /** Aborted by Ctrl-C: stop, and leave no process behind. */
  readonly signal: AbortSignal
  /** An empty folder for this run; it is removed with all it holds when the command ends. */
  readonly folder: string
  /** Size of what a case sends, in megabytes, from `--size`. @default the case's own */
  readonly megabytes?: number
  /** Tells a person what is being measured now. */
  readonly progress: (text: string) => void
}

/** Something to measure. Every file in `bench/cases/` exports one as `benchCase`. */
export interface BenchCase {
  /** As given to `--only`. */
  readonly name: string
  /** One line for `--list`. */
  readonly description: string
  /** @throws when a measurement fails or a contestant does its work wrongly; a missed bar is a row that is not ok. */
  readonly run: (context: BenchContext) => Promise<readonly BenchRow[]>
}
