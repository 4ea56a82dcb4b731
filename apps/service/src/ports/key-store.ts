/** A key in a list. It identifies the key, but cannot be used as one. */
export interface ListedKey {
  /** The id that deletes or rotates the key. */
  readonly id: string
  readonly tenant: string
  /** Unix seconds. */
  readonly createdAt: number
  /** Unix seconds. `undefined` for a key that does not expire. */
  readonly expiresAt: number | undefined
  /** Unix seconds, a few minutes late. `undefined` for a key that was never used. */
  readonly usedAt: number | undefined
}

/** A valid key of a request. */
export interface KnownApiKey {
  /** Its id in lists, for logs. */
  readonly id: string
  readonly tenant: string
}

/** A new key. It cannot be read later. */
export interface NewApiKey {
  readonly id: string
  readonly key: string
}

/** Maximum of keys of a tenant that have not expired. */
export const KEYS_PER_TENANT = 100

/** The tenant has {@link KEYS_PER_TENANT} keys. */
export class TooManyKeysError extends Error {
  override readonly name = 'TooManyKeysError'
  readonly tenant: string

  constructor(tenant: string) {
    super(`${tenant} has ${KEYS_PER_TENANT} keys, the maximum of a tenant: delete one first`)
    this.tenant = tenant
  }
}

/** Bearer keys. Only their hashes are stored. */
export interface KeyStore {
  /** Returns the id that a key has in lists, also of a key that does not exist. */
  idOf(key: string): string
  /**
   * Finds a key. Returns `undefined` for an unknown, deleted or expired key. Each request asks: a store that answers at
   * once returns no promise.
   */
  find(key: string): KnownApiKey | undefined | Promise<KnownApiKey | undefined>
  /**
   * Creates a key.
   * @param lifetimeSeconds @default it does not expire
   * @throws TooManyKeysError when the tenant has the maximum of keys
   */
  create(tenant: string, lifetimeSeconds?: number): Promise<NewApiKey>
  /**
   * Creates another key for the tenant of a key, which then expires.
   * @param graceSeconds Time that the old key still works. An earlier expiry stays.
   * @returns `undefined` for an unknown id
   */
  rotate(id: string, graceSeconds: number): Promise<NewApiKey | undefined>
  /** Records the last use of stored keys, by id. */
  recordUse(ids: readonly string[]): Promise<void>
  /** Lists the stored keys, the oldest first. Keys from the options are not among them. */
  list(): Promise<ListedKey[]>
  /** Deletes a stored key. The running service refuses it from then on. @returns `false` for an unknown id. */
  delete(id: string): Promise<boolean>
  /** Number of keys that exist, expired ones too. */
  count(): Promise<number>
  /** Refuses or accepts the requests of a tenant. */
  suspend(tenant: string, suspended: boolean): Promise<void>
  /** Returns the suspended tenants. */
  suspended(): Promise<ReadonlySet<string>>
}
