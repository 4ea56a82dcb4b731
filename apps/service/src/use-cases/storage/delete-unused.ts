import { isStoreError } from '../../domain/errors.ts'
import type { TenantObjects } from '../../ports/tenant-objects.ts'
import type { Services } from '../../services.ts'

/**
 * Deletes an object that no record names any more. While a store is down, the object stays until the clean-up:
 * the record is gone, so a caller that repeats its request has nothing to delete.
 */
export async function deleteUnused(
  { log }: Pick<Services, 'log'>,
  objects: Pick<TenantObjects, 'delete'>,
  name: string,
): Promise<void> {
  try {
    await objects.delete(name)
  } catch (error) {
    if (!isStoreError(error)) throw error
    log.warn({ err: error, object: name }, 'an unused object stays until the clean-up')
  }
}
