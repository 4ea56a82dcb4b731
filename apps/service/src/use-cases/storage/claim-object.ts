import { OutcomeUnknownError } from '../../domain/errors.ts'
import type { TenantObjects } from '../../ports/tenant-objects.ts'
import type { Services } from '../../services.ts'

/** A stored object that a record is about to name. */
export interface ClaimedObject {
  readonly objects: Pick<TenantObjects, 'delete'>
  readonly name: string
  /** Whether a record names the object. */
  readonly inUse: (name: string) => Promise<boolean>
}

/**
 * Stores the record that names an object, and deletes the object if the record certainly does not name it: the request
 * was a repeated one or was refused, or failed before anything was stored. After a lost response to the commit the record
 * may still become visible, however often a query does not see it. Such an object stays. The clean-up removes it when
 * no record names it an hour later.
 * @param record Resolves to whether the record names the object.
 * @throws What `record` throws
 */
export async function claimObject<T extends { readonly isUsed: boolean }>(
  { log }: Pick<Services, 'log'>,
  { objects, name, inUse }: ClaimedObject,
  record: () => Promise<T>,
): Promise<T> {
  const remove = async (): Promise<void> => {
    try {
      if (!(await inUse(name))) await objects.delete(name)
    } catch (error) {
      // The outcome of the request says more than that of the clean-up.
      log.warn({ err: error, object: name }, 'an unused object stays until the clean-up')
    }
  }
  try {
    const outcome = await record()
    if (!outcome.isUsed) await remove()
    return outcome
  } catch (error) {
    if (!(error instanceof OutcomeUnknownError)) await remove()
    throw error
  }
}

/** Whether a set of names that is being read has this name. */
export async function isIn(names: Promise<ReadonlySet<string>>, name: string): Promise<boolean> {
  return (await names).has(name)
}
