import { isStoreError } from '../../domain/errors.ts'
import type { Services } from '../../services.ts'
import { pause } from '../tasks/until-answered.ts'

/** Longest time in which a finished result waits for the stores, in milliseconds. Then its task is made again. */
export const RESULT_PATIENCE_MS = 10 * 60_000

/** Time between two attempts to store it, in milliseconds. */
export const STORE_RETRY_MS = 2000

/** A result to store. */
export interface NewResult {
  readonly tenant: string
  /**
   * Makes the name of the object. An attempt never uses the name of an earlier one: the deletion of that object may
   * still be on its way.
   */
  readonly nameOf: (attempt: number) => string
  /** The lease was lost, or the service stops. */
  readonly signal: AbortSignal
}

/**
 * Stores the result of a task. In a cluster it is first written to this machine, and stored again while a store does
 * not work: the work is not done twice.
 * @returns The name of the stored object.
 * @throws What the store throws; after {@link RESULT_PATIENCE_MS} or an abort, the error of the outage
 */
export async function storeThroughOutage(
  services: Pick<Services, 'results' | 'scratch' | 'shared' | 'outage' | 'clock' | 'log'>,
  { tenant, nameOf, signal }: NewResult,
  audio: AsyncIterable<Uint8Array>,
): Promise<string> {
  const { results, scratch, shared, outage, clock, log } = services
  const own = results.of(tenant)
  if (!shared) {
    await own.put(nameOf(1), audio)
    return nameOf(1)
  }
  const latest = clock.now() + RESULT_PATIENCE_MS
  return scratch.withCopy(audio, async (read) => {
    for (let attempt = 1; ; attempt += 1) {
      const name = nameOf(attempt)
      try {
        await own.put(name, read())
        return name
      } catch (error) {
        if (!isStoreError(error)) throw error
        outage.note(clock.now())
        if (signal.aborted || clock.now() >= latest) throw error
        log.warn({ err: error, object: name }, 'a finished result waits for a store')
        await pause(clock, signal, STORE_RETRY_MS)
        if (signal.aborted) throw error
      }
    }
  })
}
