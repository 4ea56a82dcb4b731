/** Waits for `wake()` or an abort. Removes its listener. @param arm Receives `wake`. */
export async function wakeOrAbort(signal: AbortSignal, arm: (wake: () => void) => void): Promise<void> {
  if (signal.aborted) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const wake = (): void => resolve()
  signal.addEventListener('abort', wake, { once: true })
  arm(wake)
  await promise
  signal.removeEventListener('abort', wake)
}
