import type { UsageKind } from '../../domain/usage.ts'

/** The tables of usage, in SQLite and in PostgreSQL. */
export interface UsageTables {
  readonly usage: {
    readonly day: string
    readonly tenant: string
    readonly kind: UsageKind
    /** A part of the sum. Several writers of a cluster add to different parts, so that none waits for another. */
    readonly slot: number
    readonly requests: number
    readonly succeeded: number
    readonly failed: number
    readonly characters: number
    readonly speech_ms: number
    readonly recording_ms: number
    readonly stored_bytes: number
  }
  /** The last batch of each process. */
  readonly usage_batches: { readonly counter: string; readonly number: number; readonly day: string }
}

/** Makes the tables in SQLite. */
export const USAGE_MIGRATION = `CREATE TABLE usage (
     day TEXT NOT NULL,
     tenant TEXT NOT NULL,
     kind TEXT NOT NULL,
     slot INTEGER NOT NULL,
     requests INTEGER NOT NULL,
     succeeded INTEGER NOT NULL,
     failed INTEGER NOT NULL,
     characters INTEGER NOT NULL,
     speech_ms INTEGER NOT NULL,
     recording_ms INTEGER NOT NULL,
     stored_bytes INTEGER NOT NULL,
     PRIMARY KEY (day, tenant, kind, slot)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE usage_batches (counter TEXT PRIMARY KEY, number INTEGER NOT NULL, day TEXT NOT NULL) STRICT;`
