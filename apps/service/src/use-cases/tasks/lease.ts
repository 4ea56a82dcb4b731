import { LeaseLostError } from '../../domain/errors.ts'
import type { Lease } from '../../ports/task-store.ts'
import type { Using } from '../../services.ts'

/** Length of a lease, in milliseconds. A crashed worker blocks its task that long. */
export const LEASE_MS = 30_000

/** Time until a failed renewal is repeated, in milliseconds: a short outage of the database costs no lease. */
const RENEWAL_RETRY_MS = 1000

/** A lease that is renewed until the renewals stop or the lease is lost. */
export interface HeldLease {
  /** Aborts when the task was cancelled or another worker has it. Results of this worker are no longer stored. */
  readonly lost: AbortSignal
  /** Ends the renewals, and aborts `lost` with this reason: this worker does not get on with the task. */
  abandon(reason: Error): void
  /** Stops the renewals. */
  stop(): void
}

/** Renews a lease three times in its length. Retries when the store fails. */
export function renewLease(
  { stores: { tasks }, runtime: { running, clock } }: Using<'stores.tasks' | 'runtime.running' | 'runtime.clock'>,
  lease: Lease,
): HeldLease {
  const lost = new AbortController()
  const lose = (): void => lost.abort(new LeaseLostError())
  const leave = running.enter(lease.taskId, lose)
  let cancel: (() => void) | undefined
  let stopped = false
  const renew = async (): Promise<void> => {
    const held = await tasks.renew(lease, LEASE_MS).catch(() => 'unknown' as const)
    if (stopped) return
    if (held === false) lose()
    else if (!lost.signal.aborted) plan(held === 'unknown' ? RENEWAL_RETRY_MS : LEASE_MS / 3)
  }
  const plan = (milliseconds: number): void => {
    cancel = clock.setTimer(milliseconds, () => void renew())
  }
  plan(LEASE_MS / 3)
  return {
    lost: lost.signal,
    abandon(reason) {
      cancel?.()
      lost.abort(reason)
    },
    stop() {
      stopped = true
      leave()
      cancel?.()
    },
  }
}
