/**
 * Remembers handled tasks. To share it between processes, implement it, e.g. over a table with a unique key: `claim`
 * inserts, `forget` deletes.
 */
export interface SeenStore {
  /** Claims a task for the caller. @returns `false` if the task was claimed before */
  claim(id: string): Promise<boolean>
  /** Releases a task that could not be handled. */
  forget(id: string): Promise<void>
}

/** Maximum tasks to remember. */
const MAX_SEEN = 10_000

/**
 * Creates a store for one process. It remembers the last 10,000 tasks. A duplicate of an older task is handled again.
 */
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

/** A map with a size limit. It removes the oldest entry first. */
export class BoundedMap<Value> {
  readonly #entries = new Map<string, Value>()
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key)
  }

  set(key: string, value: Value): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size <= this.#max) return
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest)
      return
    }
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }
}
