import type { Idempotency } from './response-store.ts'

/**
 * Announces new work. An announcement is only a hint and may be repeated: the stores hold the work, and listeners also
 * poll them.
 */
export interface Dispatch {
  /** Calls the listeners of this kind of work. */
  announce(kind: WorkKind): void
  /** @returns Removes the listener. */
  listen(kind: WorkKind, run: () => void): () => void
}

/** The kinds of work. */
export type WorkKind = 'task' | 'webhook'

/** Dispatch within this process, for a machine of its own. */
export function createDispatch(): Dispatch {
  const listeners: Record<WorkKind, Set<() => void>> = { task: new Set(), webhook: new Set() }
  return {
    announce(kind) {
      for (const run of listeners[kind]) run()
    },
    listen(kind, run) {
      listeners[kind].add(run)
      return () => listeners[kind].delete(run)
    },
  }
}

/** Holds on idempotency keys that all processes of a cluster see. The hold of a crashed process ends by itself. */
export interface KeyLocks {
  /** Returns the fingerprint of the request that holds a key. */
  find(tenant: string, key: string): Promise<string | undefined>
  /** Holds a key. @returns A function that releases it; `undefined` when another request holds it */
  hold(tenant: string, idempotency: Idempotency): Promise<(() => void) | undefined>
}

/** Work that at most one process of a cluster does at a time. */
export interface LeaderLock {
  /**
   * Runs work unless work of that name is running, or was completed less than `interval` ago on any machine.
   * @param work Resolves to `false` if it is not complete: another process may do it at once
   * @param interval Milliseconds of the clock that all machines share. @default 0
   * @returns Whether it ran.
   * @throws What `work` throws
   */
  run(name: string, work: () => Promise<boolean | void>, interval?: number): Promise<boolean>
  /** Returns how long ago the work of each name with an interval was completed, in milliseconds. */
  ages(): Promise<ReadonlyMap<string, number>>
}

/** For a machine of its own: all work runs. @param now Milliseconds of a clock */
export function createOwnLock(now: () => number): LeaderLock {
  const ends = new Map<string, number>()
  return {
    async run(name, work, interval = 0) {
      if ((await work()) !== false && interval > 0) ends.set(name, now())
      return true
    },
    ages: async () => new Map([...ends].map(([name, end]) => [name, now() - end])),
  }
}

/** Counts requests over all processes of a cluster. */
export interface RequestCounter {
  /**
   * Counts a request of a key in the key's current window, or in a new one that starts now.
   * @param window Length of a new window, in milliseconds.
   * @returns The requests in the window, this one included, and the milliseconds left of it.
   */
  count(key: string, window: number): Promise<{ readonly amount: number; readonly left: number }>
}
