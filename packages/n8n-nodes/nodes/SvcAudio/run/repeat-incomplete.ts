import { StreamTruncatedError } from '@svc-audio/core/pure'
import type { Item } from '../operations/item.ts'

/**
 * Does the work on an item, and does it again if the response was cut after it had begun: the client repeats only
 * requests without a response. Only where the user allows repeated work, or the service does it once.
 * @throws StreamTruncatedError after the last retry
 */
export async function repeatIncomplete<Result>(item: Item, work: () => Promise<Result>): Promise<Result> {
  for (let repeated = 0; ; repeated += 1) {
    const [outcome] = await Promise.allSettled([work()])
    if (outcome.status === 'fulfilled') return outcome.value
    const failure: unknown = outcome.reason
    if (!(failure instanceof StreamTruncatedError) || repeated >= (await item.repeats())) throw failure
  }
}
