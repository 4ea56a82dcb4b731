import type { Clock } from './transport.ts'

/** A promise that rejects with the signal's reason when that aborts first; afterwards no listener is left. */
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

/** Waits. An abort ends it at once, with the signal's reason; afterwards neither timer nor listener is left. */
export async function sleep(milliseconds: number, signal: AbortSignal, clock: Clock): Promise<void> {
  signal.throwIfAborted()
  const { promise, resolve } = Promise.withResolvers<void>()
  const clear = clock.setTimer(milliseconds, resolve)
  await unlessAborted(promise, signal).finally(clear)
}
