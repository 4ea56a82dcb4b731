import type { BenchContext } from './bench-case.ts'

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
