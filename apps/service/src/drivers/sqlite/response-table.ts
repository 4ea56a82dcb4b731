/** Answers to requests with an idempotency key that made no task to work on. */
export interface ResponseTable {
  readonly tenant: string
  readonly key: string
  readonly fingerprint: string
  /** JSON. */
  answer: string
  readonly kept_ms: number
}

/** The step that makes the table. */
export const ANSWER_MIGRATION = `CREATE TABLE answers (
     tenant TEXT NOT NULL,
     key TEXT NOT NULL,
     fingerprint TEXT NOT NULL,
     answer TEXT NOT NULL,
     kept_ms INTEGER NOT NULL,
     PRIMARY KEY (tenant, key)
   ) STRICT;
   CREATE INDEX answers_kept ON answers (kept_ms);`
