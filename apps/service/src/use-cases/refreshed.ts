import type { Clock } from '../domain/clock.ts'

/** A value that is read again at intervals. */
export interface Refreshed<T> {
  readonly value: T
  stop(): void
}

/**
 * Reads a value now and at intervals. A read that fails leaves the value as it is.
 * @param interval Milliseconds.
 * @throws What the first read throws
 */
export async function refreshed<T>(read: () => Promise<T>, clock: Clock, interval: number): Promise<Refreshed<T>> {
  let value = await read()
  let cancel: (() => void) | undefined
  const plan = (): void => {
    cancel = clock.setTimer(interval, () => {
      plan()
      void (async () => {
        value = await read().catch(() => value)
      })()
    })
  }
  plan()
  return {
    get value() {
      return value
    },
    stop: () => cancel?.(),
  }
}
