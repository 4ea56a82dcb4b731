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

/** Makes the tables in SQLite, and the sums of stored bytes: adding up all objects for each read takes too long. */
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
   CREATE TABLE usage_batches (counter TEXT PRIMARY KEY, number INTEGER NOT NULL, day TEXT NOT NULL) STRICT;
   CREATE TABLE area_bytes (area TEXT PRIMARY KEY, bytes INTEGER NOT NULL) STRICT;
   INSERT INTO area_bytes SELECT area, sum(bytes) FROM objects GROUP BY area;
   CREATE TRIGGER objects_entered AFTER INSERT ON objects BEGIN
     INSERT INTO area_bytes VALUES (NEW.area, NEW.bytes) ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes;
   END;
   CREATE TRIGGER objects_changed AFTER UPDATE OF bytes ON objects BEGIN
     UPDATE area_bytes SET bytes = bytes + NEW.bytes - OLD.bytes WHERE area = NEW.area;
   END;
   CREATE TRIGGER objects_struck AFTER DELETE ON objects BEGIN
     UPDATE area_bytes SET bytes = bytes - OLD.bytes WHERE area = OLD.area;
   END;`
