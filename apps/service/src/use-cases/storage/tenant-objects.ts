import type { ObjectStore } from '../../ports/object-store.ts'
import type { StorageArea, StorageLedger } from '../../ports/storage-ledger.ts'
import type { StorageReserve } from '../../ports/storage-reserve.ts'
import { quotaExceeded } from '../../domain/quota-exceeded.ts'
import { UploadsInFlight } from '../../domain/uploads-in-flight.ts'
import type { TenantObjects } from '../../ports/tenant-objects.ts'

/** Options of {@link createTenantObjects}. */
export interface TenantObjectsParts {
  readonly area: StorageArea
  readonly store: ObjectStore
  readonly ledger: StorageLedger
  /** Maximum bytes per tenant in all areas together. @default no limit */
  readonly most?: number | undefined
  /** Uploads that count toward the quota and are not stored yet. @default none */
  readonly uploads?: UploadsInFlight
  /** Refuses new data when it is used up, and lets deletes work on a full disk. */
  readonly reserve: StorageReserve
}

/**
 * Adds a ledger to a store. An object is durable before it is entered, and deleted before it is struck: an object that
 * is not entered comes from a crash while it was stored, or from a database that has lost rows, never from a deletion. A
 * crash in between leaves an entry without an object, which the next start strikes. An object that exceeds the quota
 * leaves nothing.
 */
export function createTenantObjects(parts: TenantObjectsParts): TenantObjects {
  const { area, store, ledger, most = Infinity, uploads = new UploadsInFlight(), reserve } = parts
  const requireRoom = async (tenant: string, bytes: number): Promise<number> => {
    await reserve.requireWhole()
    if (most === Infinity) return 0
    const stored = await ledger.bytesOf(tenant)
    const used = stored + uploads.bytesOf(tenant)
    if (used >= most || used + bytes > most) throw quotaExceeded()
    return stored
  }
  const enter = async (tenant: string, name: string, bytes: number): Promise<void> => {
    try {
      if (await ledger.enter({ area, name, tenant, bytes }, most)) return
    } catch (error) {
      // The entry may have been stored although its answer was lost.
      await ledger.strike(area, name).catch(() => undefined)
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
        const left = most - (await requireRoom(tenant, 0))
        const kept = await store.put(name, atMost(source, left))
        await enter(tenant, name, kept.bytes)
        return kept
      },
      async putFile(name, path) {
        const bytes = await store.sizeOfFile(path)
        uploads.beforeStore(path)
        await requireRoom(tenant, bytes)
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
    async strikeMissing() {
      // Each of them was stored before it was entered, so that a later list has it until it is deleted.
      const missing = new Set(await ledger.names(area))
      for await (const { name } of store.list()) missing.delete(name)
      for (const name of missing) await ledger.strike(area, name)
      return missing.size
    },
    withFile: (name, use) => store.withFile(name, use),
    stat: (name) => store.stat(name),
    open: (name, part) => store.open(name, part),
    list: () => store.list(),
    ...(store.direct === undefined ? {} : { direct: store.direct }),
    delete: (name) =>
      reserve.use(async () => {
        await store.delete(name)
        await ledger.strike(area, name)
      }),
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
