import type { TenantObjects } from '../ports/object-store.ts'
import type { StorageArea } from '../ports/storage-ledger.ts'
import type { Using } from '../services.ts'

/** The parts that know which objects are needed. */
export type OrphanServices = Using<
  'stores.files' | 'stores.tasks' | 'objects.inputs' | 'objects.uploads' | 'objects.results' | 'runtime.log'
>

/**
 * Objects that nothing needs. The database knows of some: it has entered them, and they remain from a crash or a command.
 * It knows nothing of the others. A crash leaves few of those; many of them mean that the database has lost rows.
 */
export interface Orphans {
  readonly area: StorageArea
  /** Names that the database has entered. */
  readonly known: readonly string[]
  /** Names without any row. */
  readonly unnamed: readonly string[]
  /** The number of all objects of the area. */
  readonly of: number
}

/** Of the uploads, the clean-up removes at most this share of objects without a row. It leaves more of them in place. */
const MOST_UNNAMED_SHARE = 1 / 20

/** An object without a row is removed after this time at the earliest, in milliseconds. */
export const ORPHAN_AGE_MS = 3_600_000

const AREAS: readonly StorageArea[] = ['uploads', 'inputs', 'results']

/**
 * Finds the orphans of an area.
 * @param before Objects that were stored later are none: their rows may not be stored yet. In milliseconds since 1970.
 */
export async function findOrphans(services: OrphanServices, area: StorageArea, before: number): Promise<Orphans> {
  const store = storeOf(services, area)
  const old: string[] = []
  let of = 0
  for await (const { name, storedAt } of store.list()) {
    of += 1
    if (storedAt < before) old.push(name)
  }
  if (old.length === 0) return { area, known: [], unnamed: [], of }
  const needed = await neededOf(services, area, old)
  const entered = await store.entered()
  const orphans = old.filter((name) => !needed.has(name))
  return {
    area,
    // A response may name a result that no task names.
    known: orphans.filter((name) => entered.has(name) && (area !== 'results' || name.startsWith('task_'))),
    unnamed: orphans.filter((name) => !entered.has(name)),
    of,
  }
}

function storeOf({ objects: { inputs, uploads: objects, results } }: OrphanServices, area: StorageArea): TenantObjects {
  return { inputs, uploads: objects, results }[area]
}

function neededOf(
  { stores: { tasks, files } }: OrphanServices,
  area: StorageArea,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  if (area === 'uploads') return files.known(names)
  return area === 'inputs' ? tasks.inputsInUse(names) : tasks.resultsInUse(names)
}

/** What {@link removeOrphans} may remove. */
interface OrphanTerms {
  /** Objects that were stored later stay. In milliseconds since 1970. @default none stays */
  readonly before?: number
  /** @default all */
  readonly areas?: readonly StorageArea[]
  /** Whether uploads without a row may be removed. @default false */
  readonly unnamed?: boolean
}

/**
 * Removes what remains from a crash or a command: objects that the database has entered and nothing needs, and uploads
 * without a row if they are few. Inputs and results without a row stay until their lifetime ends them.
 */
export async function removeOrphans(services: OrphanServices, terms: OrphanTerms = {}): Promise<void> {
  for (const area of terms.areas ?? AREAS) {
    const { known, unnamed, of } = await findOrphans(services, area, terms.before ?? Infinity)
    const mayRemove = terms.unnamed === true && area === 'uploads'
    const few = mayRemove && unnamed.length <= of * MOST_UNNAMED_SHARE
    const removed = few ? [...known, ...unnamed] : known
    await storeOf(services, area).deleteAll(removed)
    const counts = { area, removed: removed.length, objects: of }
    if (removed.length > 0) services.runtime.log.warn(counts, 'objects that nothing needs were removed')
    if (!mayRemove || few) continue
    const stay = { area, unnamed: unnamed.length, objects: of }
    services.runtime.log.error(stay, `objects without a row in the database stay: ${REMEDY}`)
  }
}

const REMEDY = 'it may have lost rows; see the command orphans list, and Backup in the docs'

/**
 * Strikes missing objects from the ledger, and writes a line to the log about the objects without a row. Call it only
 * while no other code uses the stores.
 */
export async function compareWithLedger(services: OrphanServices): Promise<void> {
  const unnamed: Partial<Record<StorageArea, number>> = {}
  for (const area of AREAS) {
    const names = [...(await storeOf(services, area).reconcile())]
    const needed = await neededOf(services, area, names)
    if (names.length > needed.size) unnamed[area] = names.length - needed.size
  }
  if (Object.keys(unnamed).length === 0) return
  services.runtime.log.warn({ unnamed }, `objects without a row in the database stay for an hour at least: ${REMEDY}`)
}
