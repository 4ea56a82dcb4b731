import type { Readable } from 'node:stream'
import type { RowPage, RowQuery } from './storage-ledger.ts'

/** Size and time of an object. */
export interface ObjectInfo {
  readonly bytes: number
  /** When the object was stored, in milliseconds since 1970. */
  readonly storedAt: number
}

/** What is known of the bytes of a stored object. */
export interface StoredBytes {
  readonly bytes: number
  /** SHA-256 in hexadecimal. Unset where the disk itself is trusted. */
  readonly sha256?: string | undefined
}

/** An object that is open for reading. */
export interface StoredObject {
  /** Size of the whole object, also for a part. */
  readonly bytes: number
  readonly stream: Readable
}

/** An object in a list. */
export interface ListedObject {
  readonly name: string
  /** When the object was stored, in milliseconds since 1970. */
  readonly storedAt: number
}

/** Valid object names: no separators and no leading dot, so that no name leaves its folder. */
export const OBJECT_NAME: RegExp = /^[\w-][\w.-]{0,199}$/

/** A store that clients can read without this service. */
export interface DirectReads {
  /**
   * Creates an address from which anybody can read the object for some minutes, in parts too.
   * @param contentType Content type of the response.
   */
  directUrl(name: string, contentType: string): Promise<string>
}

/** Stores audio. An object is stored completely or not at all. It survives a crash after `put` has resolved. */
export interface ObjectStore {
  /** Stores a stream under a name. A failed source leaves nothing. */
  put(name: string, source: AsyncIterable<Uint8Array>): Promise<StoredBytes>
  /** Moves a file of this machine into the store. */
  putFile(name: string, path: string): Promise<StoredBytes>
  /** Returns the size of a file of this machine, in bytes. Call it before `putFile` moves the file. */
  sizeOfFile(path: string): Promise<number>
  /**
   * Provides an object as a file of this machine while `use` runs.
   * @param known What the bytes must be. @default the store's own word counts
   * @returns `undefined`, without a call of `use`, when no object has that name
   */
  withFile<T>(name: string, use: (path: string) => Promise<T>, known?: StoredBytes): Promise<T | undefined>
  /** @returns `undefined` when no object has that name. */
  stat(name: string): Promise<ObjectInfo | undefined>
  /**
   * Opens an object or a part of it. Both ends of the part are included and within the size.
   * @param known What the bytes must be. @default the store's own word counts
   * @returns `undefined` when no object has that name.
   */
  open(
    name: string,
    part?: { readonly start: number; readonly end: number },
    known?: StoredBytes,
  ): Promise<StoredObject | undefined>
  delete(name: string): Promise<void>
  /**
   * Deletes objects, many in one call where the store can.
   * @returns The names of objects that the store refuses to delete: they are locked, or a right is missing
   */
  deleteAll(names: readonly string[]): Promise<readonly string[]>
  /** Lists all objects, in no particular order. */
  list(): AsyncIterable<ListedObject>
  /** Present when clients can read the objects without this service. */
  readonly direct?: DirectReads
}

/** A tenant's view of a store. Stored bytes count toward the tenant's quota. */
interface OwnObjects extends Pick<ObjectStore, 'put' | 'putFile'> {
  /**
   * Checks the quota before the work starts. `put` and `putFile` throw the same.
   * @param bytes Known size of the object to store. @default 0
   * @returns The bytes that the tenant stores in all areas; 0 without a quota.
   * @throws ServiceError 429 `storage_quota_exceeded`
   */
  requireRoom(bytes?: number): Promise<number>
}

/**
 * An object store whose objects belong to tenants. In a cluster, the row of an object knows its bytes: other bytes are an
 * error. Reads throw MissingObjectError for an object that has a row and that the store does not have at this moment.
 */
export interface TenantObjects extends Omit<ObjectStore, 'put' | 'putFile' | 'sizeOfFile' | 'withFile' | 'open'> {
  of(tenant: string): OwnObjects
  /** As {@link ObjectStore.withFile}. @throws MissingObjectError */
  withFile<T>(name: string, use: (path: string) => Promise<T>): Promise<T | undefined>
  /** As {@link ObjectStore.open}. @throws MissingObjectError */
  open(name: string, part?: { readonly start: number; readonly end: number }): Promise<StoredObject | undefined>
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
interface ObjectsByRows {
  /** Objects that were begun before a time and never entered: a crash leaves them. */
  unfinished(query: RowQuery): Promise<RowPage>
  /** Objects that were entered before a time and that no other row names. */
  unneeded(query: RowQuery): Promise<RowPage>
}
