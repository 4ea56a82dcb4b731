import type { StorageLedger } from '../../ports/storage-ledger.ts'

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
