import { readFunction } from './sql-file.ts'

/** Workers and webhooks continue the trace of the request. */
const TRACES = [`ALTER TABLE svc_audio.tasks ADD COLUMN trace text`, readFunction('trace_of')]

const USAGE = [
  `CREATE TABLE svc_audio.usage (
     day text NOT NULL,
     tenant text NOT NULL,
     kind text NOT NULL,
     slot smallint NOT NULL,
     requests bigint NOT NULL DEFAULT 0,
     succeeded bigint NOT NULL DEFAULT 0,
     failed bigint NOT NULL DEFAULT 0,
     characters bigint NOT NULL DEFAULT 0,
     speech_ms bigint NOT NULL DEFAULT 0,
     recording_ms bigint NOT NULL DEFAULT 0,
     stored_bytes bigint NOT NULL DEFAULT 0,
     PRIMARY KEY (day, tenant, kind, slot)
   ) WITH (fillfactor = 50)`,
  `CREATE TABLE svc_audio.usage_batches (counter text PRIMARY KEY, number bigint NOT NULL, day text NOT NULL)`,
  // Sums for metrics. A connection adds to one of several parts: others seldom wait for its commit.
  `CREATE TABLE svc_audio.area_bytes (
     area text NOT NULL, slot smallint NOT NULL, bytes bigint NOT NULL, PRIMARY KEY (area, slot)
   ) WITH (fillfactor = 50)`,
  readFunction('count_area'),
  // No object is entered between the trigger and the sum: making the trigger locks the table until the commit.
  `CREATE TRIGGER count_area AFTER INSERT OR UPDATE OR DELETE ON svc_audio.objects
   FOR EACH ROW EXECUTE FUNCTION svc_audio.count_area()`,
  `INSERT INTO svc_audio.area_bytes SELECT area, 0, sum(bytes) FROM svc_audio.objects GROUP BY area`,
  readFunction('day_of'),
]

/** Adds traces of tasks, and usage per tenant. */
export const TRACES_AND_USAGE: readonly string[] = [...TRACES, ...USAGE]
