import type { Open } from './models.ts'

/** A stored file. */
export interface StoredFile {
  /** The `file_id` of other endpoints. */
  readonly id: string
  readonly object: 'file'
  readonly bytes: number
  /** Unix seconds. */
  readonly created_at: number
  /** The name it was uploaded under. */
  readonly filename: string
  /** The marker given at upload; may be empty. */
  readonly purpose: string
  readonly status: Open<'processed' | 'active' | 'failed'>
}

/** Query of `GET /v1/files`. */
export interface FileListQuery {
  /** 1 to 200; the default is the service's. */
  readonly limit?: number
  /** 0 to 100000. */
  readonly offset?: number
  readonly purpose?: string
}

/** Answer of `GET /v1/files`. */
export interface FileList {
  readonly object: 'list'
  readonly data: readonly StoredFile[]
}

/** Answer of `DELETE /v1/files/{file_id}`. */
export interface FileDeletion {
  readonly id: string
  readonly object: 'file'
  readonly deleted: true
}
