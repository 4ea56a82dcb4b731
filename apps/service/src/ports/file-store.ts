import type { Idempotency } from './idempotency.ts'

/** What is known of an uploaded file. Its bytes are an object of the same name as its id. */
export interface UploadedFile {
  readonly id: string
  readonly tenant: string
  /** The name it was uploaded under; may be empty. */
  readonly filename: string
  /** The caller's marker; may be empty. */
  readonly purpose: string
  readonly bytes: number
  /** Unix seconds. */
  readonly createdAt: number
}

/** A file to be recorded, whose bytes are durable already. */
export interface NewFile extends Omit<UploadedFile, 'createdAt'> {
  readonly idempotency?: Idempotency
}

/** What became of a new file. */
export type FileAcceptance =
  | { readonly outcome: 'accepted'; readonly file: UploadedFile }
  /** The same upload came before: this is its file, and nothing was recorded of the new one. */
  | { readonly outcome: 'repeated'; readonly file: UploadedFile }
  /** The key came before with another request. */
  | { readonly outcome: 'conflict' }

/** Which of a tenant's files are wanted. */
export interface FileQuery {
  readonly limit: number
  readonly offset: number
  /** Only those with exactly this marker. */
  readonly purpose?: string
}

/** Where it is stored what files there are. Whatever has resolved survives a crash; every call is one transaction. */
export interface FileStore {
  /** Records a file and its idempotency key together. */
  accept(file: NewFile): Promise<FileAcceptance>
  /** `undefined` for an unknown id and for another tenant's. */
  find(tenant: string, id: string): Promise<UploadedFile | undefined>
  /** The newest first. */
  list(tenant: string, query: FileQuery): Promise<UploadedFile[]>
  /**
   * Forgets a file. Its idempotency key becomes an answer: the same upload does not make it again. `false` for an unknown
   * id and for another tenant's.
   */
  delete(tenant: string, id: string): Promise<boolean>
  /** Forgets files that were uploaded before this time (Unix ms), and their idempotency keys. @returns Their ids. */
  forget(before: number): Promise<string[]>
  /** Which of these ids are files, of any tenant. */
  known(ids: readonly string[]): Promise<ReadonlySet<string>>
}
