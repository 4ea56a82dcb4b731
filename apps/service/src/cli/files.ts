import type { UploadedFile } from '../ports/file-store.ts'
import type { ServiceOptions } from '../service-options.ts'
import { viewFile } from '../use-cases/files.ts'
import { withAudit } from './audited.ts'
import { requireTenant, type TenantOptions, withObjects, withTenant } from './with-stores.ts'
import { isoTime, jsonText, type ListFormat, table } from './list-format.ts'
import { UsageError } from './errors.ts'

/** Lists a tenant's uploaded files, the newest first. */
export function listFiles(
  options: TenantOptions,
  tenant: string,
  { json = false, limit }: ListFormat & { readonly limit: number },
): Promise<string> {
  return withTenant(options, tenant, async ({ files }) => {
    const found = await files.list(tenant, { limit, offset: 0 })
    if (json) return jsonText({ files: found.map(viewFile) })
    if (found.length === 0) return `${tenant} has no files.\n`
    return table(
      found.map(({ id, bytes, createdAt, purpose, filename }) => [
        id,
        `${bytes} bytes`,
        `stored ${isoTime(createdAt)}`,
        JSON.stringify(purpose),
        JSON.stringify(filename),
      ]),
    )
  })
}

/** Shows a file as JSON. @throws UsageError when the tenant has no file with that id */
export function showFile(options: TenantOptions, tenant: string, id: string): Promise<string> {
  return withTenant(options, tenant, async ({ files }) => {
    const file: UploadedFile | undefined = await files.find(tenant, id)
    if (file === undefined) throw noSuchFile(tenant, id)
    return jsonText(viewFile(file))
  })
}

/**
 * Deletes a file: its row, then its bytes. A running service answers 404 for it from the next request on.
 * @throws UsageError when the tenant has no file with that id
 */
export function deleteStoredFile(options: ServiceOptions, tenant: string, id: string): Promise<string> {
  return withAudit(options, { action: 'deleteFile', tenant, id }, async (stores) => {
    await requireTenant(stores, options, tenant)
    // The objects are opened first: without them, nothing is deleted.
    await withObjects(options, stores, async ({ uploads }) => {
      if (!(await stores.files.delete(tenant, id))) throw noSuchFile(tenant, id)
      await uploads.delete(id)
    })
    return `File ${id} is deleted.\n`
  })
}

function noSuchFile(tenant: string, id: string): UsageError {
  return new UsageError(`${tenant} has no file ${id}: files list ${tenant} shows the ids`)
}
