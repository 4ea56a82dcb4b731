import type { Idempotency } from './idempotency.ts'

/** Holds on idempotency keys that all processes of a cluster see. The hold of a crashed process ends by itself. */
export interface KeyLocks {
  /** Returns the fingerprint of the request that holds a key. */
  find(tenant: string, key: string): Promise<string | undefined>
  /** Holds a key. @returns A function that releases it; `undefined` when another request holds it */
  hold(tenant: string, idempotency: Idempotency): Promise<(() => void) | undefined>
}
