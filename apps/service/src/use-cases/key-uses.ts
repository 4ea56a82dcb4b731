import type { Clock } from '../domain/clock.ts'
import type { KeyStore } from '../ports/key-store.ts'

/** Interval of the writes, in milliseconds. A write for each request would cost more than the request. */
const INTERVAL_MS = 60_000

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
    this.#cancel ??= this.#clock.setTimer(INTERVAL_MS, () => void this.flush())
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
