import type { Clock } from './transport.ts'

/** Waits. An abort ends it at once, with the signal's reason; afterwards neither timer nor listener is left. */
export async function sleep(milliseconds: number, signal: AbortSignal, clock: Clock): Promise<void> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const takeBack = clock.setTimer(milliseconds, resolve)
  const abort = (): void => {
    takeBack()
    reject(signal.reason)
  }
  signal.addEventListener('abort', abort, { once: true })
  try {
    await promise
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
