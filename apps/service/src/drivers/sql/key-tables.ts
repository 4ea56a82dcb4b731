/** The tables of keys and secrets, in SQLite and in PostgreSQL. */
export interface KeyTables {
  readonly api_keys: {
    readonly hash: string
    readonly tenant: string
    readonly created_at: number
    /** Unix seconds. Null for a key that does not expire. */
    expires_at: number | null
    /** Unix seconds, a few minutes late. Null for a key that was never used. */
    used_at: number | null
  }
  readonly secrets: {
    readonly name: string
    /** In clear or sealed. */
    value: string
    /** Unix seconds. Null for the current value of a name; `<name>#<random>` is a former one until this time. */
    readonly expires_at: number | null
  }
  /** Tenants whose requests are refused. */
  readonly suspensions: { readonly tenant: string; readonly since: number }
}

/** The step that adds expiry, use and suspensions. */
export const KEY_MIGRATION = `ALTER TABLE api_keys ADD COLUMN expires_at INTEGER;
   ALTER TABLE api_keys ADD COLUMN used_at INTEGER;
   ALTER TABLE secrets ADD COLUMN expires_at INTEGER;
   CREATE TABLE suspensions (tenant TEXT PRIMARY KEY, since INTEGER NOT NULL) STRICT;`
