import type { Clock } from '../domain/clock.ts'
import type { KeyStore } from '../ports/key-store.ts'

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

/** Interval of the writes, in milliseconds. A write for each request would cost more than the request. */
const USES_INTERVAL_MS = 60_000

/** Collects the uses of keys, and records them every minute. */
export class KeyUses {
  readonly #keys: Pick<KeyStore, 'recordUse'>
  readonly #clock: Clock
  #used = new Set<string>()
  #cancel: (() => void) | undefined

  constructor(keys: Pick<KeyStore, 'recordUse'>, clock: Clock) {
    this.#keys = keys
    this.#clock = clock
  }

  /** Notes the use of a key, by its id. */
  note(id: string): void {
    this.#used.add(id)
    this.#cancel ??= this.#clock.setTimer(USES_INTERVAL_MS, () => void this.flush())
  }

  /** Records the noted uses. A failure loses them: the next use of a key counts again. */
  async flush(): Promise<void> {
    this.#cancel?.()
    this.#cancel = undefined
    const used = [...this.#used]
    this.#used = new Set()
    await this.#keys.recordUse(used).catch(() => undefined)
  }
}

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
