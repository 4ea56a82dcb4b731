import type { BenchContext } from './bench-case.ts'

/**
 * Runs every contestant once a round, round after round, so that a busy moment of the machine hits all of them. One more
 * round goes before and is thrown away: it fills the caches of files and compiled modules.
 * @returns What each contestant's runs returned, in order.
 */
export async function rounds<Name extends string, Result>(
  context: BenchContext,
  contestants: readonly Name[],
  count: number,
  run: (contestant: Name) => Promise<Result>,
): Promise<Record<Name, Result[]>> {
  // Filled for every name right here.
  const results = Object.fromEntries(contestants.map((name) => [name, []])) as unknown as Record<Name, Result[]>
  for (let round = 0; round <= count; round += 1) {
    // Everyone begins once, so that nobody always comes after the same one.
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
