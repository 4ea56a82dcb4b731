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

/** The part of a row with its requirement and the verdict. */
export interface Verdict {
  readonly bar: string
  readonly ok: boolean
}

/** Requires at most `max`. `what` names the value. */
export function atMost(what: string, value: number, max: number, unit = ''): Verdict {
  return { bar: `${what} ≤ ${max}${unit}`, ok: value <= max }
}

/** Requires at least `min`. `what` names the value. */
export function atLeast(what: string, value: number, min: number, unit = ''): Verdict {
  return { bar: `${what} ≥ ${min}${unit}`, ok: value >= min }
}

/** A row that never fails. `what` tells the reader which value matters. */
export function reported(what: string): Verdict {
  return { bar: `${what} (reported)`, ok: true }
}

/** A row whose bar is `ours/limit ≤ max`. */
export function besideLimit(
  {
    peers = {},
    ...row
  }: Pick<BenchRow, 'name' | 'unit' | 'ours'> & { readonly limit: number; readonly peers?: BenchRow['peers'] },
  max: number,
): BenchRow {
  const ratio = row.ours / row.limit
  return { ...row, peers, ratio, ...atMost('ours/limit', ratio, max) }
}

/** Bytes in a kilobyte, here and in every bar. */
export const KB = 1024

/** Bytes in a megabyte, here and in every bar: 1,048,576. */
export const MB = 1024 * KB

/** The median; of an even number of values the lower middle one. */
export function median(values: readonly number[]): number {
  const middle = values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)]
  if (middle === undefined) throw new RangeError('A median needs at least one value')
  return middle
}

/** The median of one value across each contestant's runs. */
export function medians<Name extends string, Result>(
  runs: Readonly<Record<Name, readonly Result[]>>,
  value: (result: Result) => number,
): Record<Name, number> {
  const entries = Object.entries<readonly Result[]>(runs).map(([name, results]) => [name, median(results.map(value))])
  // The same keys as in `runs`.
  return Object.fromEntries(entries) as Record<Name, number>
}

/** The value below which this part of all values lies, from 0 to 1. */
export function percentile(values: readonly number[], part: number): number {
  return values.toSorted((one, other) => one - other)[Math.ceil(values.length * part) - 1] ?? Number.NaN
}

/**
 * Runs every contestant once a round, for several rounds: a busy moment of the machine affects all of them. An extra
 * first round warms the caches of files and compiled modules, and is discarded.
 * @returns The results of each contestant's runs, in order.
 */
export async function rounds<Name extends string, Result>(
  context: BenchContext,
  contestants: readonly Name[],
  count: number,
  run: (contestant: Name) => Promise<Result>,
): Promise<Record<Name, Result[]>> {
  // The loop below fills every name.
  const results = Object.fromEntries(contestants.map((name) => [name, []])) as unknown as Record<Name, Result[]>
  for (let round = 0; round <= count; round += 1) {
    // Each contestant starts a round once, to vary its predecessor.
    const first = round % contestants.length
    for (const name of [...contestants.slice(first), ...contestants.slice(0, first)]) {
      context.signal.throwIfAborted()
      context.progress(round === 0 ? `${name}, warming up` : `${name}, run ${round} of ${count}`)
      const result = await run(name)
      if (round > 0) results[name].push(result)
    }
  }
  return results
}

/** Runs work `count` times, `atOnce` at the same time. */
export async function repeat(count: number, atOnce: number, work: () => Promise<unknown>): Promise<void> {
  let left = count
  const place = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      await work()
    }
  }
  await Promise.all(Array.from({ length: atOnce }, place))
}
