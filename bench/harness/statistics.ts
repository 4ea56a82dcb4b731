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
