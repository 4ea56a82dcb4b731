import type { Clock } from '../../domain/clock.ts'

/** Time in which aborted work must end, in milliseconds. */
export const GRACE_MS = 5000

/**
 * Waits for work, but not for work that does not end in spite of its abort.
 * @returns The result of `work`.
 * @throws What `work` throws; the reason of `signal` {@link GRACE_MS} after its abort
 */
export async function withinGracePeriod<T>(work: Promise<T>, signal: AbortSignal, clock: Clock): Promise<T> {
  const { promise: over, reject } = Promise.withResolvers<never>()
  let cancel: (() => void) | undefined
  const onAbort = (): void => {
    cancel = clock.setTimer(GRACE_MS, () => reject(signal.reason))
  }
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, over])
  } finally {
    cancel?.()
    signal.removeEventListener('abort', onAbort)
  }
}
