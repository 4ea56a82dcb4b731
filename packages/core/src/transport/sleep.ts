import type { Clock } from './transport.ts'

/**
 * Settles as the promise does, or rejects with the signal's reason if the signal aborts first. It leaves no listener.
 */
export async function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** Waits. An abort of a signal rejects at once with its reason. It leaves no timer and no listener. */
export async function sleep(milliseconds: number, signals: readonly AbortSignal[], clock: Clock): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const clear = clock.setTimer(milliseconds, resolve)
  await Promise.race(signals.map((signal) => unlessAborted(promise, signal))).finally(() => {
    clear()
    // Settles the other races, which removes their listeners.
    resolve()
  })
}
