import type { ObjectStore } from '../../ports/object-store.ts'
import type { StorageArea, StorageLedger } from '../../ports/storage-ledger.ts'
import type { StorageReserve } from '../../ports/storage-reserve.ts'
import { quotaExceeded } from '../../domain/service-error.ts'
import { UploadsInFlight } from '../../domain/uploads-in-flight.ts'
import type { TenantObjects } from '../../ports/tenant-objects.ts'

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
  const enter = async (tenant: string, name: string, bytes: number): Promise<void> => {
    try {
      if (await ledger.enter({ area, name, tenant, bytes }, max)) return
    } catch (error) {
      // The entry may have been stored although its response was lost.
      await ledger.strike(area, [name]).catch(() => undefined)
      // No record names the object yet. The clean-up deletes what stays.
      await store.delete(name).catch(() => undefined)
      throw error
    }
    await store.delete(name)
    throw quotaExceeded()
  }
  return {
    of: (tenant) => ({
      requireRoom: (bytes = 0) => requireRoom(tenant, bytes),
      async put(name, source) {
        const left = max - (await requireRoom(tenant, 0))
        await ledger.byRows?.begin(area, name)
        const kept = await store.put(name, atMost(source, left))
        await enter(tenant, name, kept.bytes)
        return kept
      },
      async putFile(name, path) {
        const bytes = await store.sizeOfFile(path)
        uploads.beforeStore(path)
        await requireRoom(tenant, bytes)
        await ledger.byRows?.begin(area, name)
        await store.putFile(name, path)
        await enter(tenant, name, bytes)
        return { bytes }
      },
    }),
    async reconcile() {
      const names = new Set<string>()
      for await (const { name } of store.list()) names.add(name)
      const entered = await ledger.retain(area, names)
      return new Set([...names].filter((name) => !entered.has(name)))
    },
    entered: async () => new Set(await ledger.names(area)),
    withFile: (name, use) => store.withFile(name, use),
    stat: (name) => store.stat(name),
    open: (name, part) => store.open(name, part),
    list: () => store.list(),
    ...(store.direct === undefined ? {} : { direct: store.direct }),
    ...rowsOf(parts),
    delete: (name) =>
      reserve.use(async () => {
        await store.delete(name)
        await ledger.strike(area, [name])
      }),
    deleteAll: (names) => reserve.use(() => deleteInBatches(parts, names)),
  }
}

/** The queries of a ledger for one area, if its rows tell what can be deleted. */
function rowsOf({ area, ledger: { byRows } }: TenantObjectsParts): Pick<TenantObjects, 'byRows'> {
  if (byRows === undefined) return {}
  return {
    byRows: {
      unfinished: (before, limit) => byRows.unfinished(area, before, limit),
      unneeded: (before, limit) => byRows.unneeded(area, before, limit),
    },
  }
}

async function deleteInBatches({ area, store, ledger }: TenantObjectsParts, names: readonly string[]): Promise<void> {
  for (let first = 0; first < names.length; first += BATCH) {
    const batch = names.slice(first, first + BATCH)
    await store.deleteAll(batch)
    await ledger.strike(area, batch)
  }
}

async function* atMost(source: AsyncIterable<Uint8Array>, bytes: number): AsyncGenerator<Uint8Array, void, undefined> {
  let left = bytes
  for await (const chunk of source) {
    left -= chunk.byteLength
    if (left < 0) throw quotaExceeded()
    yield chunk
  }
}
