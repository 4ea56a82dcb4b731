import type { Clock } from '../../domain/clock.ts'
import type { Lease, TaskStore } from '../../ports/task-store.ts'

/** Length of a lease, in milliseconds. A crashed worker blocks its task that long. */
export const LEASE_MS = 30_000

/** A lease that is renewed until the renewals stop or the lease is lost. */
export interface HeldLease {
  /** Aborts when another worker has the task. Results of this worker are no longer stored. */
  readonly lost: AbortSignal
  /** Stops the renewals. */
  stop(): void
}

/** Another worker has the task. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError' as const

  constructor() {
    super('The lease on the task was lost')
  }
}

/** Renews a lease three times in its length. Retries when the store fails. */
export function holdLease(tasks: TaskStore, lease: Lease, clock: Clock): HeldLease {
  const lost = new AbortController()
  let cancel: (() => void) | undefined
  let stopped = false
  const renew = async (): Promise<void> => {
    const held = await tasks.renew(lease, LEASE_MS).catch(() => true)
    if (stopped) return
    if (held) plan()
    else lost.abort(new LeaseLostError())
  }
  const plan = (): void => {
    cancel = clock.setTimer(LEASE_MS / 3, () => void renew())
  }
  plan()
  return {
    lost: lost.signal,
    stop() {
      stopped = true
      cancel?.()
    },
  }
}
