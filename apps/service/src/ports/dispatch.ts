/**
 * Says that there is work. A hint, at least once and at any time: what there is to do stands in the stores, and anyone who
 * listens also looks there on their own now and then.
 */
export interface Dispatch {
  /** Tells everyone who listens for work of this kind. */
  announce(kind: WorkKind): void
  /** @returns How to stop listening. */
  listen(kind: WorkKind, run: () => void): () => void
}

/** What there can be to do. */
export type WorkKind = 'task' | 'webhook'
