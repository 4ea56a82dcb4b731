import type { Selectable } from 'kysely'
import type { UploadedFile } from '../../ports/file-store.ts'
import type { CommonTables } from './tables.ts'

/** Reads a file from its row. */
export function fileFromRow(row: Selectable<CommonTables['files']>): UploadedFile {
  const { id, tenant, filename, purpose, bytes, created_at: createdAt } = row
  return { id, tenant, filename, purpose, bytes, createdAt }
}
