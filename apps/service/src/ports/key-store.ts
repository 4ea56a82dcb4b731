/** A key in a list. It identifies the key, but cannot be used as one. */
export interface ListedKey {
  /** The id that deletes the key. */
  readonly id: string
  readonly tenant: string
  /** Unix seconds. */
  readonly createdAt: number
}

/** Bearer keys. Only their hashes are stored. */
export interface KeyStore {
  /** Returns the tenant of a key, or `undefined` for an unknown or deleted key. */
  tenantOf(key: string): Promise<string | undefined>
  /** Creates a key. The key cannot be read later. */
  create(tenant: string): Promise<{ readonly id: string; readonly key: string }>
  /** Lists the stored keys, the oldest first. Keys from the options are not among them. */
  list(): Promise<ListedKey[]>
  /** Deletes a stored key. The running service refuses it from then on. @returns `false` for an unknown id. */
  delete(id: string): Promise<boolean>
  count(): Promise<number>
}
