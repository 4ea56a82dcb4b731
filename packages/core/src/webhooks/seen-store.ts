/**
 * Remembers which tasks have been handled. Several processes share one by bringing their own, e.g. over a table with a
 * unique key: `claim` inserts, `forget` deletes.
 */
export interface SeenStore {
  /** Takes a task for the caller. @returns `false` when somebody took it before */
  claim(id: string): Promise<boolean>
  /** Gives it back: it could not be handled. */
  forget(id: string): Promise<void>
}

/** Most tasks that are remembered. */
const MAX_SEEN = 10_000

/** A store for one process. It remembers the last 10,000 tasks: of an older one, a duplicate would be handled again. */
export function memorySeenStore(): SeenStore {
  const seen = new BoundedMap<true>(MAX_SEEN)
  return {
    claim: async (id) => {
      if (seen.get(id) === true) return false
      seen.set(id, true)
      return true
    },
    forget: async (id) => seen.delete(id),
  }
}

/** A map that holds so many entries and lets the oldest go. */
export class BoundedMap<Value> {
  readonly #entries = new Map<string, Value>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key)
  }

  set(key: string, value: Value): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size <= this.#most) return
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest)
      return
    }
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }
}
