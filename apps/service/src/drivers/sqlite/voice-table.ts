import type { Generated } from 'kysely'
import type { VoiceStatus } from '../../ports/voice-store.ts'

/** Tenants' voices. Lists follow the sequence. */
export interface VoiceTable {
  readonly sequence: Generated<number>
  readonly id: string
  readonly tenant: string
  readonly name: string
  readonly description: string
  readonly status: VoiceStatus
  /** JSON. */
  readonly parameters: string
  readonly created_at: number
}

/** The step that makes the table. */
export const VOICE_MIGRATION = `CREATE TABLE voices (
     sequence INTEGER PRIMARY KEY,
     id TEXT NOT NULL UNIQUE,
     tenant TEXT NOT NULL,
     name TEXT NOT NULL,
     description TEXT NOT NULL,
     status TEXT NOT NULL CHECK (status IN ('active', 'failed')),
     parameters TEXT NOT NULL,
     created_at INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX voices_of_tenant ON voices (tenant, sequence);`
