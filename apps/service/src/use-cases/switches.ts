import type { Clock } from '../domain/clock.ts'
import type { KeyStore } from '../ports/key-store.ts'
import { refreshed } from './refreshed.ts'

/** No tenant has this name. Its suspension drains the service. */
export const DRAIN = '*'

/** Time until a change takes effect, in milliseconds. */
const INTERVAL_MS = 1000

/** What operators switch on and off in a running service. */
export interface Switches {
  /** Whether the requests of a tenant are refused. */
  isSuspended(tenant: string): boolean
  /** Whether the service accepts no new work. It still runs its tasks and serves what is stored. */
  readonly draining: boolean
  stop(): void
}

/** Follows the switches. A change takes effect within a second. */
export async function followSwitches(keys: Pick<KeyStore, 'suspended'>, clock: Clock): Promise<Switches> {
  const suspended = await refreshed(() => keys.suspended(), clock, INTERVAL_MS)
  return {
    isSuspended: (tenant) => suspended.value.has(tenant),
    get draining() {
      return suspended.value.has(DRAIN)
    },
    stop: () => suspended.stop(),
  }
}

/** Switches of a service without an operator. */
export const NO_SWITCHES: Switches = { isSuspended: () => false, draining: false, stop: () => {} }
