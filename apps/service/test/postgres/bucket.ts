import { ObjectStoreUnavailableError } from '../../src/domain/errors.ts'
import type { ObjectStore } from '../../src/ports/object-store.ts'

/** Options of {@link bucketOf}. */
interface BucketOptions {
  /** Receives the number of names of each call that deletes. @default nobody */
  readonly onDelete?: (size: number) => void
  /** Names that it refuses to delete. @default none */
  readonly locked?: ReadonlySet<string>
}

/** A store of names that fails when something reads or lists it. */
export function bucketOf(names: Set<string>, { onDelete, locked = new Set() }: BucketOptions = {}): ObjectStore {
  const unused = (): never => {
    throw new Error('The clean-up must not read or list the bucket')
  }
  return {
    async put(name) {
      names.add(name)
      return { bytes: 1 }
    },
    putFile: unused,
    sizeOfFile: unused,
    withFile: unused,
    stat: unused,
    open: unused,
    list: unused,
    async delete(name) {
      if (locked.has(name)) throw new ObjectStoreUnavailableError(undefined, 'The object is locked')
      onDelete?.(1)
      names.delete(name)
    },
    async deleteAll(all) {
      onDelete?.(all.length)
      for (const name of all) if (!locked.has(name)) names.delete(name)
      return all.filter((name) => locked.has(name))
    },
  }
}
