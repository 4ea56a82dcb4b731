import type { ObjectStore } from './object-store.ts'

/** A tenant's way into a store: what it keeps counts as its own. */
export interface OwnObjects extends Pick<ObjectStore, 'put' | 'putFile'> {
  /**
   * Whether anything can be stored at all; for before the work begins. `put` and `putFile` throw the same.
   * @param bytes How much is to come, as far as that is known. @default 0
   * @throws ServiceError 429 `storage_quota_exceeded`
   */
  requireRoom(bytes?: number): Promise<void>
}

/** An object store whose objects belong to tenants. */
export interface TenantObjects extends Omit<ObjectStore, 'put' | 'putFile' | 'sizeOfFile'> {
  of(tenant: string): OwnObjects
  /**
   * Forgets what is not there any more: for who has the store for itself.
   * @returns Objects that were never entered: who stored them did not come to tell anyone of them.
   */
  reconcile(): Promise<ReadonlySet<string>>
}
