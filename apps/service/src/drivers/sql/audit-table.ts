import type { Generated } from 'kysely'
import type { AuditActor } from '../../ports/audit-store.ts'

/** The table of the audit log, in SQLite and in PostgreSQL. */
export interface AuditTables {
  readonly audit: {
    readonly sequence: Generated<number>
    readonly at_ms: number
    readonly actor: AuditActor
    readonly action: string
    /** Empty without a tenant. */
    readonly tenant: string
    /** The other fields as JSON. */
    readonly details: string
  }
}

/** The step that adds the audit log. Operators' records are few among many: their index finds them. */
export const AUDIT_MIGRATION = `CREATE TABLE audit (
     sequence INTEGER PRIMARY KEY AUTOINCREMENT,
     at_ms INTEGER NOT NULL,
     actor TEXT NOT NULL CHECK (actor IN ('client', 'operator', 'service')),
     action TEXT NOT NULL,
     tenant TEXT NOT NULL,
     details TEXT NOT NULL
   ) STRICT;
   CREATE INDEX audit_operators ON audit (sequence) WHERE actor <> 'client';
   CREATE TRIGGER audit_is_appended BEFORE UPDATE ON audit
   BEGIN SELECT RAISE(ABORT, 'Records of the audit log never change'); END;`
