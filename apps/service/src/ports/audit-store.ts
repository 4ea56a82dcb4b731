/** Who acts: a client with a key, an operator with a command, or the service itself. */
export type AuditActor = 'client' | 'operator' | 'service'

/**
 * How an act ended. A command has a record with `begun` too. A `refused` request has a status below 500, and after `cut`
 * the client disconnected before the end of the response.
 */
export const AUDIT_OUTCOMES = ['begun', 'done', 'cut', 'refused', 'failed'] as const

/** One of {@link AUDIT_OUTCOMES}. */
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number]

/**
 * One act. It says who did what to which id, and never a text, a file name, audio or a secret: every field is made by
 * the service or checked to be an id, an address or a name of a tenant.
 */
export interface AuditRecord {
  /** Milliseconds since 1970. Of counted acts, the first. */
  readonly at: number
  readonly actor: AuditActor
  /** The `operationId` of a request, or the name of a command's act. */
  readonly action: string
  readonly outcome: AuditOutcome
  readonly tenant?: string | undefined
  /** Id of the key, as in lists. */
  readonly key?: string | undefined
  /** Id of what was made, deleted or cancelled. */
  readonly id?: string | undefined
  /** Work and name of the engine that receives a text or a recording, as `speech@kokoro`. */
  readonly engine?: string | undefined
  /** Address of the client. */
  readonly address?: string | undefined
  /** Id of the request, or of the command. */
  readonly request?: string | undefined
  /** HTTP status of the response. */
  readonly status?: number | undefined
  /** User of the system that ran the command. */
  readonly user?: string | undefined
  /** Name of the machine of an operator or of the service. */
  readonly machine?: string | undefined
  /** Number of equal acts in a minute. @default 1 */
  readonly count?: number | undefined
}

/** Selects records. All given fields must fit. */
export interface AuditFilter {
  readonly tenant?: string | undefined
  readonly action?: string | undefined
  /** Milliseconds since 1970, inclusive. */
  readonly since?: number | undefined
  /** Milliseconds since 1970, exclusive. */
  readonly until?: number | undefined
}

/** What expires. */
export interface AuditLimits {
  /** Older records expire. Milliseconds since 1970. */
  readonly before: number
  /** Maximum records. Beyond that the oldest ones of clients expire. */
  readonly max: number
  /** Maximum records of operators and of the service. Beyond that the oldest expire. */
  readonly operators: number
}

/** A record with its place in the log. */
export interface StoredAuditRecord {
  /** Grows with each record. */
  readonly sequence: number
  readonly record: AuditRecord
}

/** The audit log. Records are appended, read and expired, never changed. */
export interface AuditStore {
  /** Appends records. Resolves when they are on the disk. */
  append(records: readonly AuditRecord[]): Promise<void>
  /**
   * Reads records in the order of the log.
   * @param after Sequence of the last record of the page before. 0 starts at the oldest one.
   */
  read(filter: AuditFilter, after: number, limit: number): Promise<readonly StoredAuditRecord[]>
  /** Removes some of the records that expire. Call it until it returns 0. @returns The number of removed records. */
  expire(limits: AuditLimits): Promise<number>
}
