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
