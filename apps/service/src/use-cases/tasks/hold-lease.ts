import type { Clock } from '../../domain/clock.ts'
import type { Lease, TaskStore } from '../../ports/task-store.ts'

/** Length of a lease, in milliseconds: how long a crashed worker blocks its task. */
export const LEASE_MS = 30_000

/** A lease that is renewed until it is stopped or lost. */
export interface HeldLease {
  /** Aborts when another worker has the task. Nothing of this one is stored from then on. */
  readonly lost: AbortSignal
  /** Ends the renewals. */
  stop(): void
}

/** Another worker has the task. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError' as const

  constructor() {
    super('The lease on the task was lost')
  }
}

/** Renews a lease three times in its length. A store that fails is asked again. */
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
