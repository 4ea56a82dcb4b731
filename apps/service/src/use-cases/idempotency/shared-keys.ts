import type { Idempotency, KeysInFlight } from '../../ports/idempotency.ts'
import type { KeyLocks } from '../../ports/key-locks.ts'
import { idempotencyConflict, InFlightKeys, inProgress } from './in-flight.ts'

/**
 * Idempotency keys in flight on any machine. Work in turn waits for work of the same process only: between processes
 * the stores decide which of two simultaneous requests is the first.
 */
export function createSharedKeys(holds: KeyLocks): KeysInFlight {
  const local = new InFlightKeys()
  const check = async (tenant: string, { key, fingerprint }: Idempotency): Promise<void> => {
    const running = await holds.find(tenant, key)
    if (running !== undefined) throw running === fingerprint ? inProgress() : idempotencyConflict()
  }
  return {
    check,
    async take(tenant, idempotency) {
      const release = await holds.hold(tenant, idempotency)
      if (release !== undefined) return release
      await check(tenant, idempotency)
      // Its holder has released it at this moment.
      throw inProgress()
    },
    inTurn: (context, work) => local.inTurn(context, work),
  }
}
