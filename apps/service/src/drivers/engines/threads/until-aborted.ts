/** What `work` comes to, unless the signal aborts first: then its reason is thrown. The work itself goes on. */
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
