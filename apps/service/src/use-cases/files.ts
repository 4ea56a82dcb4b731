import type { FileDeletion, StoredFile } from '@svc-audio/core/interface'
import { z } from 'zod'
import { newId } from '../domain/ids.ts'
import { ServiceError } from '../domain/service-error.ts'
import type { UploadedFile } from '../ports/file-store.ts'
import type { Idempotency, IdempotencyContext } from '../ports/response-store.ts'
import type { Services, Using } from '../services.ts'
import { claimObject, deleteUnused, isIn } from './objects.ts'
import { idempotencyConflict, replayEnded, type ReplayServices } from './idempotency.ts'

/** A received file. */
export interface ReceivedFile {
  readonly tenant: string
  /** Path on this machine. The store takes over the file. */
  readonly path: string
  readonly filename: string
  readonly purpose: string
  readonly idempotency: Idempotency | undefined
}

/**
 * Stores an uploaded file. Its bytes are durable before its record is: a recorded file always has its bytes.
 * @throws ServiceError 409 `idempotency_conflict` when the key belongs to another request; 429
 * `storage_quota_exceeded`
 */
export async function storeFile(
  services: FileServices & Using<'runtime.log'>,
  received: ReceivedFile,
): Promise<UploadedFile> {
  const { files } = services.stores
  const { uploads: objects } = services.objects
  const { tenant, path, filename, purpose, idempotency } = received
  const id = newId('file')
  const { bytes } = await objects.of(tenant).putFile(id, path)
  const entry = { id, tenant, filename, purpose, bytes, ...(idempotency === undefined ? {} : { idempotency }) }
  const { file } = await claimObject(
    services,
    { objects, name: id, inUse: (name) => isIn(files.known([name]), name) },
    async () => {
      const acceptance = await files.accept(entry)
      if (acceptance.outcome === 'conflict') throw idempotencyConflict()
      return { file: acceptance.file, isUsed: acceptance.outcome === 'accepted' }
    },
  )
  return file
}

const FileResponse = z.object({ file: z.string() })
const DeletedFile = FileResponse.extend({
  filename: z.string(),
  purpose: z.string(),
  bytes: z.number(),
  createdAt: z.number(),
})

/**
 * Returns the file of a repeated upload, even if the file was deleted later.
 * @throws ServiceError as {@link replayEnded}
 */
export async function replayFile(
  services: ReplayServices & Using<'stores.files'>,
  terms: IdempotencyContext,
): Promise<UploadedFile | undefined> {
  const kept = await replayEnded(services, terms)
  if (kept === undefined) return undefined
  const deleted = DeletedFile.safeParse(kept).data
  if (deleted === undefined) return services.stores.files.find(terms.tenant, FileResponse.parse(kept).file)
  const { file: id, ...rest } = deleted
  return { id, tenant: terms.tenant, ...rest }
}

/**
 * Returns a tenant's file.
 * @throws ServiceError 404 `file_not_found`
 */
export async function requireFile(
  { stores: { files } }: FileServices,
  tenant: string,
  id: string,
): Promise<UploadedFile> {
  const file = await files.find(tenant, id)
  if (file === undefined) throw noSuchFile(id)
  return file
}

/**
 * Provides a tenant's file on this machine while `use` runs.
 * @throws ServiceError 404 `file_not_found`, also when the file is deleted in the meantime and `use` fails; what `use`
 * throws
 */
export async function withStoredFile<T>(
  services: FileServices,
  { tenant, id, signal }: { readonly tenant: string; readonly id: string; readonly signal: AbortSignal },
  use: (path: string) => Promise<T>,
): Promise<T> {
  await requireFile(services, tenant, id)
  try {
    const lent = await services.objects.uploads.withFile(id, async (path) => ({ result: await use(path) }))
    if (lent !== undefined) return lent.result
  } catch (error) {
    if (!signal.aborted) await requireFile(services, tenant, id)
    throw error
  }
  throw noSuchFile(id)
}

/**
 * Deletes a file: first its record, then its bytes. A recorded file thus always has its bytes. A task that still needs
 * the file fails.
 * @throws ServiceError 404 `file_not_found`
 */
export async function deleteFile(
  services: FileServices & Using<'objects.reserve' | 'runtime.log'>,
  tenant: string,
  id: string,
): Promise<FileDeletion> {
  const { files } = services.stores
  const { uploads: objects, reserve } = services.objects
  if (!(await reserve.use(() => files.delete(tenant, id)))) throw noSuchFile(id)
  await deleteUnused(services, objects, id)
  return { id, object: 'file', deleted: true }
}

/**
 * Deletes the uploaded file of a successful transcription, if `deleteAfterSuccess` is set. A failure is only logged:
 * the transcription has succeeded, and the file expires later.
 */
export async function deleteUsed(services: Services, tenant: string, id: string | undefined): Promise<void> {
  if (!services.settings.deleteAfterSuccess || id === undefined) return
  try {
    // Another request may have deleted the file already.
    if (await services.objects.reserve.use(() => services.stores.files.delete(tenant, id)))
      await services.objects.uploads.delete(id)
  } catch (error) {
    services.runtime.log.error({ err: error, file: id }, 'the file of a successful transcription could not be deleted')
  }
}

/** The services that files need. */
export type FileServices = Using<'stores.files' | 'objects.uploads'>

/** Creates the 404 for an unknown file or another tenant's. */
function noSuchFile(id: string): ServiceError {
  const message = `The file ${JSON.stringify(id.slice(0, 100))} does not exist or was deleted`
  return new ServiceError(404, 'file_not_found', message, { param: 'file_id' })
}

/** Returns a file as the interface shows it. */
export function viewFile({ id, bytes, createdAt, filename, purpose }: UploadedFile): StoredFile {
  return { id, object: 'file', bytes, created_at: createdAt, filename, purpose, status: 'processed' }
}
