import { isStoreError, MissingObjectError, OutcomeUnknownError } from '../domain/errors.ts'
import { quotaExceeded } from '../domain/service-error.ts'
import { UploadsInFlight } from '../domain/uploads-in-flight.ts'
import type { ObjectStore, StoredBytes, TenantObjects } from '../ports/object-store.ts'
import type { StorageArea, StorageLedger } from '../ports/storage-ledger.ts'
import type { StorageReserve } from '../ports/disk.ts'
import type { Using } from '../services.ts'

/** Objects that are deleted and struck from the ledger at once. */
const BATCH = 1000

/** Options of {@link createTenantObjects}. */
export interface TenantObjectsParts {
  readonly area: StorageArea
  readonly store: ObjectStore
  readonly ledger: StorageLedger
  /** Maximum bytes per tenant in all areas together. @default no limit */
  readonly max?: number | undefined
  /** Uploads that count toward the quota and are not stored yet. @default none */
  readonly uploads?: UploadsInFlight
  /** Refuses new data when it is used up, and lets deletes work on a full disk. */
  readonly reserve: StorageReserve
}

/**
 * Adds a ledger to a store. An object is durable before it is entered, and deleted before it is struck: an object that
 * is not entered comes from a crash while it was stored, or from a database that has lost rows, never from a deletion. A
 * crash in between leaves an entry without an object, which the next start or clean-up strikes. An object that exceeds
 * the quota leaves nothing.
 */
export function createTenantObjects(parts: TenantObjectsParts): TenantObjects {
  const { area, store, ledger, max = Infinity, uploads = new UploadsInFlight(), reserve } = parts
  const requireRoom = async (tenant: string, bytes: number): Promise<number> => {
    await reserve.requireWhole()
    if (max === Infinity) return 0
    const stored = await ledger.bytesOf(tenant)
    const used = stored + uploads.bytesOf(tenant)
    if (used >= max || used + bytes > max) throw quotaExceeded()
    return stored
  }
  // An object that cannot be deleted keeps its entry and its note: by them, the clean-up finds it.
  const remove = async (name: string): Promise<void> => {
    await store.delete(name)
    await ledger.strike(area, [name])
  }
  const enter = async (tenant: string, name: string, { bytes, sha256 }: StoredBytes): Promise<void> => {
    try {
      if (await ledger.enter({ area, name, tenant, bytes, sha256 }, max)) return
    } catch (error) {
      // No record names the object yet. Its entry may have been stored although the response was lost.
      await remove(name).catch(() => undefined)
      throw error
    }
    await remove(name)
    throw quotaExceeded()
  }
  return {
    of: (tenant) => ({
      requireRoom: (bytes = 0) => requireRoom(tenant, bytes),
      async put(name, source) {
        const left = max - (await requireRoom(tenant, 0))
        await ledger.byRows?.begin(area, name)
        const kept = await store.put(name, atMost(source, left))
        await enter(tenant, name, kept)
        return kept
      },
      async putFile(name, path) {
        const bytes = await store.sizeOfFile(path)
        uploads.beforeStore(path)
        await requireRoom(tenant, bytes)
        await ledger.byRows?.begin(area, name)
        const kept = await store.putFile(name, path)
        await enter(tenant, name, kept)
        return kept
      },
    }),
    async reconcile() {
      const names = new Set<string>()
      for await (const { name } of store.list()) names.add(name)
      const entered = await ledger.retain(area, names)
      return new Set([...names].filter((name) => !entered.has(name)))
    },
    entered: async () => new Set(await ledger.names(area)),
    ...readsOf(parts),
    list: () => store.list(),
    ...(store.direct === undefined ? {} : { direct: store.direct }),
    ...rowsOf(parts),
    delete: (name) => reserve.use(() => remove(name)),
    deleteAll: (names) => reserve.use(() => deleteInBatches(parts, names)),
  }
}

/** The reads of a store, with what the rows of the ledger know of the objects. */
function readsOf({ area, store, ledger }: TenantObjectsParts): Pick<TenantObjects, 'withFile' | 'stat' | 'open'> {
  // The row goes after the object: one that is still there speaks for an object that the store will have.
  const requireNoRow = async (name: string): Promise<void> => {
    if ((await ledger.byRows?.find(area, name)) !== undefined) throw new MissingObjectError(name)
  }
  return {
    async withFile(name, use) {
      let found = false
      const note = (path: string): ReturnType<typeof use> => {
        found = true
        return use(path)
      }
      const result = await store.withFile(name, note, await ledger.byRows?.find(area, name))
      if (!found) await requireNoRow(name)
      return result
    },
    async stat(name) {
      const info = await store.stat(name)
      if (info === undefined) await requireNoRow(name)
      return info
    },
    async open(name, part) {
      const object = await store.open(name, part, await ledger.byRows?.find(area, name))
      if (object === undefined) await requireNoRow(name)
      return object
    },
  }
}

/** The queries of a ledger for one area, if its rows tell what can be deleted. */
function rowsOf({ area, ledger: { byRows } }: TenantObjectsParts): Pick<TenantObjects, 'byRows'> {
  if (byRows === undefined) return {}
  return {
    byRows: {
      unfinished: (query) => byRows.unfinished(area, query),
      unneeded: (query) => byRows.unneeded(area, query),
    },
  }
}

/** Objects that the store refuses to delete keep their entries. @returns Their names */
async function deleteInBatches(
  { area, store, ledger }: TenantObjectsParts,
  names: readonly string[],
): Promise<readonly string[]> {
  const all: string[] = []
  for (let first = 0; first < names.length; first += BATCH) {
    const batch = names.slice(first, first + BATCH)
    const refused = new Set(await store.deleteAll(batch))
    const deleted = batch.filter((name) => !refused.has(name))
    if (deleted.length > 0) await ledger.strike(area, deleted)
    all.push(...refused)
  }
  return all
}

async function* atMost(source: AsyncIterable<Uint8Array>, bytes: number): AsyncGenerator<Uint8Array, void, undefined> {
  let left = bytes
  for await (const chunk of source) {
    left -= chunk.byteLength
    if (left < 0) throw quotaExceeded()
    yield chunk
  }
}

/** A stored object that a record is about to name. */
interface ClaimedObject {
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
  { runtime: { log } }: Using<'runtime.log'>,
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

/**
 * Deletes an object that no record names any more. While a store is down, the object stays until the clean-up:
 * the record is gone, so a caller that repeats its request has nothing to delete.
 */
export async function deleteUnused(
  { runtime: { log } }: Using<'runtime.log'>,
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

/**
 * Keeps the sum of each tenant in memory. A sum over all objects of a tenant would slow down every accepted task. Only
 * one of them at a time may change a ledger. A name is entered only once.
 */
export function countedLedger(ledger: StorageLedger): StorageLedger {
  const sums = new Map<string, Promise<{ bytes: number }>>()
  const sumOf = (tenant: string): Promise<{ bytes: number }> => {
    const known = sums.get(tenant)
    if (known !== undefined) return known
    const read = ledger.bytesOf(tenant).then((bytes) => ({ bytes }))
    sums.set(tenant, read)
    // A failed read is repeated.
    read.catch(() => sums.delete(tenant))
    return read
  }
  return {
    ...(ledger.byRows === undefined ? {} : { byRows: ledger.byRows }),
    async enter(entry, max = Infinity) {
      const sum = await sumOf(entry.tenant)
      if (sum.bytes + entry.bytes > max) return false
      // Counted before it is written: of several objects at once, the later ones see the earlier.
      sum.bytes += entry.bytes
      try {
        return await ledger.enter(entry)
      } catch (error) {
        sum.bytes -= entry.bytes
        throw error
      }
    },
    async strike(area, names) {
      // A sum that is being read may include the object or not.
      await Promise.allSettled(sums.values())
      const struck = await ledger.strike(area, names)
      for (const { tenant, bytes } of struck) {
        const sum = await sums.get(tenant)
        if (sum !== undefined) sum.bytes -= bytes
      }
      return struck
    },
    async retain(area, names) {
      const left = await ledger.retain(area, names)
      sums.clear()
      return left
    },
    names: (area) => ledger.names(area),
    entriesOf: (tenant) => ledger.entriesOf(tenant),
    bytesOf: async (tenant) => (await sumOf(tenant)).bytes,
  }
}
