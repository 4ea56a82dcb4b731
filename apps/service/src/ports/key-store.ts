/** A key in a list: enough to tell it from others, nothing to use it by. */
export interface ListedKey {
  /** Names the key when it is to be deleted. */
  readonly id: string
  readonly tenant: string
  /** Unix seconds. */
  readonly createdAt: number
}

/** Bearer keys. Only their hashes are stored. */
export interface KeyStore {
  /** The tenant of a key, or `undefined` for an unknown or deleted one. */
  tenantOf(key: string): Promise<string | undefined>
  /** Makes a key. This is the only time that it can be seen. */
  create(tenant: string): Promise<{ readonly id: string; readonly key: string }>
  /** Stored keys, the oldest first; those given from outside are not among them. */
  list(): Promise<ListedKey[]>
  /** Deletes a stored key: it is refused from then on, by the running service. `false` when there is none of that id. */
  delete(id: string): Promise<boolean>
  count(): Promise<number>
}
