/**
 * Resolves or rejects with `work`, unless the signal aborts first: then throws its reason. The work itself continues.
 */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const onAbort = (): void => reject(signal.reason)
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([promise, work])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
