import type { Open } from './models.ts'

/** Largest file for `POST /v1/files` and a transcription upload, in bytes: 512 MB, read as MiB (interface: Limits). */
export const MAX_FILE_BYTES: number = 512 * 1024 * 1024

/** Maximum files on one page (interface: List files). */
export const FILES_LIMIT_MAX = 200

/** Largest `offset` of a file list (interface: List files). */
export const FILES_OFFSET_MAX = 100_000

/** A stored file. */
export interface StoredFile {
  /** The `file_id` of other endpoints. */
  readonly id: string
  /** Kind of the object. */
  readonly object: 'file'
  /** Size, in bytes. */
  readonly bytes: number
  /** Unix seconds. */
  readonly created_at: number
  /** The name it was uploaded under. */
  readonly filename: string
  /** The marker given at upload; may be empty. */
  readonly purpose: string
  /** State of the file. */
  readonly status: Open<'processed' | 'active' | 'failed'>
}

/** Query of `GET /v1/files`. */
export interface FileListQuery {
  /** 1 to 200; the default is the service's. */
  readonly limit?: number
  /** 0 to 100000. */
  readonly offset?: number
  /** Marker of the file, given at its upload. */
  readonly purpose?: string
}

/** Answer of `GET /v1/files`. */
export interface FileList {
  /** Kind of the object. */
  readonly object: 'list'
  /** Entries of this page. */
  readonly data: readonly StoredFile[]
}

/** Answer of `DELETE /v1/files/{file_id}`. */
export interface FileDeletion {
  /** Id of the deleted file. */
  readonly id: string
  /** Kind of the object. */
  readonly object: 'file'
  /** Always true: a failure is an error. */
  readonly deleted: true
}
