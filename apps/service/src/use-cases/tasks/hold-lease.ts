import { LeaseLostError } from '../../domain/errors.ts'
import type { Lease } from '../../ports/task-store.ts'
import type { Services } from '../../services.ts'

/** Length of a lease, in milliseconds. A crashed worker blocks its task that long. */
export const LEASE_MS = 30_000

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
export function holdLease(
  { tasks, running, clock }: Pick<Services, 'tasks' | 'running' | 'clock'>,
  lease: Lease,
): HeldLease {
  const lost = new AbortController()
  const lose = (): void => lost.abort(new LeaseLostError())
  const leave = running.enter(lease.taskId, lose)
  let cancel: (() => void) | undefined
  let stopped = false
  const renew = async (): Promise<void> => {
    const held = await tasks.renew(lease, LEASE_MS).catch(() => true)
    if (stopped) return
    if (held && !lost.signal.aborted) plan()
    else if (!held) lose()
  }
  const plan = (): void => {
    cancel = clock.setTimer(LEASE_MS / 3, () => void renew())
  }
  plan()
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
