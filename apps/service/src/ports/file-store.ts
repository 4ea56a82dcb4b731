import type { Expired, Expiry } from './expiry.ts'
import type { Idempotency } from './response-store.ts'

/** The record of an uploaded file. Its bytes are an object whose name is the id. */
export interface UploadedFile {
  readonly id: string
  readonly tenant: string
  /** File name of the upload. May be empty. */
  readonly filename: string
  /** The caller's marker. May be empty. */
  readonly purpose: string
  readonly bytes: number
  /** Unix seconds. */
  readonly createdAt: number
}

/** A file to record. Its bytes are already durable. */
export interface NewFile extends Omit<UploadedFile, 'createdAt'> {
  readonly idempotency?: Idempotency
}

/** Outcome of {@link FileStore.accept}. */
export type FileAcceptance =
  | { readonly outcome: 'accepted'; readonly file: UploadedFile }
  /** A repeated upload, with its earlier file. Nothing was recorded. */
  | { readonly outcome: 'repeated'; readonly file: UploadedFile }
  /** The key belongs to another request. */
  | { readonly outcome: 'conflict' }

/** Options of {@link FileStore.list}. */
export interface FileQuery {
  readonly limit: number
  readonly offset: number
  /** Only files with exactly this marker. */
  readonly purpose?: string
}

/** Stores the records of uploaded files. A resolved call survives a crash. Every call is one transaction. */
export interface FileStore {
  /** Records a file and its idempotency key together. */
  accept(file: NewFile): Promise<FileAcceptance>
  /** @returns `undefined` for an unknown id and for another tenant's. */
  find(tenant: string, id: string): Promise<UploadedFile | undefined>
  /** Lists files, the newest first. */
  list(tenant: string, query: FileQuery): Promise<UploadedFile[]>
  /**
   * Deletes the record of a file. Its idempotency key becomes a response: a repeated upload does not create the file
   * again. @returns `false` for an unknown id and for another tenant's.
   */
  delete(tenant: string, id: string): Promise<boolean>
  /** Deletes the records of files that were uploaded before a time, with their idempotency keys. */
  forget(expiry: Expiry): Promise<Expired>
  /** Returns the ids that are files, of any tenant. */
  known(ids: readonly string[]): Promise<ReadonlySet<string>>
}
