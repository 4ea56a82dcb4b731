import type { ObjectStore } from '../../src/ports/object-store.ts'

/**
 * A store of names that fails when something reads or lists it.
 * @param onDelete Receives the number of names of each call that deletes. @default nobody
 */
export function bucketOf(names: Set<string>, onDelete: (size: number) => void = () => undefined): ObjectStore {
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
      onDelete(1)
      names.delete(name)
    },
    async deleteAll(all) {
      onDelete(all.length)
      for (const name of all) names.delete(name)
      return []
    },
  }
}
