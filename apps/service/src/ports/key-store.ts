/** Bearer keys. Only their hashes are kept. */
export interface KeyStore {
  /** The tenant of a key, or `undefined` for an unknown or deleted one. */
  tenantOf(key: string): Promise<string | undefined>
  /** Makes a key. This is the only time that it can be seen. */
  create(tenant: string): Promise<string>
  count(): Promise<number>
}
