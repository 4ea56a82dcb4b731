/** What {@link runItems} needs. */
interface RunItemsOptions<Result> {
  readonly count: number
  /** Maximum items in flight. */
  readonly atOnce: number
  /** Handles one item. What it throws ends the whole run. */
  readonly run: (index: number, signal: AbortSignal) => Promise<Result>
}

/**
 * Runs items side by side. Once one of them throws, no other starts, the signal of those in flight aborts, and the run
 * rejects when they have ended.
 * @returns The results in the order of the items.
 */
export async function runItems<Result>({ count, atOnce, run }: RunItemsOptions<Result>): Promise<Result[]> {
  const results: Result[] = []
  const failed = new AbortController()
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < count && !failed.signal.aborted) {
      const index = next
      next += 1
      try {
        results[index] = await run(index, failed.signal)
      } catch (error) {
        // The first failure is the one to report: those after it come of the abort.
        if (!failed.signal.aborted) failed.abort(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, Math.min(atOnce, count)) }, worker))
  failed.signal.throwIfAborted()
  return results
}
