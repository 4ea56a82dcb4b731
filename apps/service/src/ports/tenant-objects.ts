import type { ObjectStore } from './object-store.ts'

/** A tenant's view of a store. Stored bytes count toward the tenant's quota. */
export interface OwnObjects extends Pick<ObjectStore, 'put' | 'putFile'> {
  /**
   * Checks the quota before the work starts. `put` and `putFile` throw the same.
   * @param bytes Known size of the object to store. @default 0
   * @returns The bytes that the tenant stores in all areas; 0 without a quota.
   * @throws ServiceError 429 `storage_quota_exceeded`
   */
  requireRoom(bytes?: number): Promise<number>
}

/** An object store whose objects belong to tenants. */
export interface TenantObjects extends Omit<ObjectStore, 'put' | 'putFile' | 'sizeOfFile'> {
  of(tenant: string): OwnObjects
  /**
   * Strikes missing objects from the ledger. Call it only while no other code uses the store.
   * @returns Objects that were stored but never entered into the ledger.
   */
  reconcile(): Promise<ReadonlySet<string>>
  /** Returns the names that the ledger has. */
  entered(): Promise<ReadonlySet<string>>
  /** Present when the rows of the ledger tell what can be deleted. Without it, the objects must be listed. */
  readonly byRows?: ObjectsByRows
}

/** Names of objects that can be deleted, from the rows of the database. Times are milliseconds since 1970. */
export interface ObjectsByRows {
  /** Objects that were begun before this time and never entered: a crash leaves them. @param limit Maximum names */
  unfinished(before: number, limit: number): Promise<readonly string[]>
  /** Objects that were entered before this time and that no other row names. @param limit Maximum names */
  unneeded(before: number, limit: number): Promise<readonly string[]>
}
