import { dayOf } from '../domain/usage.ts'
import type { StorageArea } from '../ports/storage-ledger.ts'
import type { TenantObjects } from '../ports/object-store.ts'
import type { Services, Using } from '../services.ts'

/** Lifetimes of stored data, in milliseconds. */
export interface Lifetimes {
  /** An uploaded file. @default until it is deleted */
  readonly uploads?: number
  /** The input of a queued task. */
  readonly inputs: number
  /** The request of a failed task, with its input. */
  readonly failedRequests: number
  /** An ended task and its result. */
  readonly results: number
  /** The stored response of an idempotency key. */
  readonly responses: number
  /** A record of the audit log. */
  readonly audit: number
}

const EXPIRED = { code: 'input_expired', message: 'The task waited longer than its input is stored' }

/**
 * Cleans up after a crash, before the service answers: removes partial uploads, entries of the ledger without an object,
 * and objects that the database has entered and nothing needs. Tasks in flight can be claimed again. Objects without a
 * row stay for now: the database may have lost rows.
 */
export async function recover(services: Services): Promise<void> {
  const { tasks, outbox, shared } = services.stores
  const { scratch } = services.objects
  await scratch.clear()
  // Other processes work with the rest. Their sweeps clean up after a crash.
  if (shared) return
  await compareWithLedger(services)
  await removeOrphans(services)
  // A stop returns its tasks to the queue, so a lease is one of a process that has crashed.
  const atWork = await tasks.dropLeases({ crashed: true })
  if (atWork > 0)
    services.runtime.log.warn({ tasks: atWork }, 'the service ended while tasks were running; they start again')
  await outbox.dropLeases()
}

/** Usage is stored for thirteen months, in milliseconds. */
const USAGE_LIFETIME_MS = 400 * 86_400_000

/** A process without a batch of usage for this time has ended, in milliseconds. */
const COUNTER_LIFETIME_MS = 7 * 86_400_000

/**
 * Deletes expired data. On a full disk it uses the reserve, and refills the reserve at the end. Every step is safe to
 * run again.
 * @param options.spareUnnamed Whether expired objects without a row stay. @default false
 */
export async function sweep(
  services: Services,
  lifetimes: Lifetimes,
  { spareUnnamed = false }: { readonly spareUnnamed?: boolean } = {},
): Promise<void> {
  const { tasks, responses, files, usage, dispatch } = services.stores
  const { inputs, uploads: objects, results, reserve } = services.objects
  const { clock } = services.runtime
  const { uploads } = lifetimes
  if (uploads !== undefined) {
    await objects.deleteAll(await reserve.use(() => files.forget(clock.now() - uploads)))
  }
  const inputsBefore = clock.now() - lifetimes.inputs
  await inputs.deleteAll(await reserve.use(() => tasks.expireInputs(inputsBefore, EXPIRED)))
  const requestsBefore = clock.now() - lifetimes.failedRequests
  await inputs.deleteAll(await reserve.use(() => tasks.expireRequests(requestsBefore)))
  dispatch.announce('webhook')
  const before = clock.now() - lifetimes.results
  // Answers and tasks first: a stored task then always has its result.
  await reserve.use(() => responses.expire(clock.now() - lifetimes.responses))
  await reserve.use(() => tasks.forget(before))
  await reserve.use(() => expireAudit(services, lifetimes.audit))
  const orphansBefore = clock.now() - ORPHAN_AGE_MS
  if (results.byRows === undefined) {
    await expireObjects(results, before, spareUnnamed ? await results.entered() : undefined)
    await removeOrphans(services, { before: orphansBefore, areas: ['inputs'] })
    if (!spareUnnamed) await expireUnnamedInputs(services, inputsBefore)
  } else {
    await deleteUnneeded(objects, { entered: orphansBefore, begun: orphansBefore })
    await deleteUnneeded(inputs, { entered: orphansBefore, begun: orphansBefore })
    await deleteUnneeded(results, { entered: before, begun: orphansBefore })
  }
  await reserve.use(() =>
    usage.forget({ days: dayOf(clock.now() - USAGE_LIFETIME_MS), counters: dayOf(clock.now() - COUNTER_LIFETIME_MS) }),
  )
  await reserve.refill()
}

/** Maximum records of the audit log: about 250 MB. */
const MOST_AUDIT_RECORDS = 1_000_000
/** Maximum of them that are not of clients. Those of clients never push them out. */
const MOST_OPERATOR_RECORDS = 100_000

/** Removes records of the audit log in small transactions: others wait for each. */
async function expireAudit({ stores: { audit }, runtime: { clock } }: Services, lifetime: number): Promise<void> {
  const before = clock.now() - lifetime
  const limits = { before, max: MOST_AUDIT_RECORDS, operators: MOST_OPERATOR_RECORDS }
  while ((await audit.expire(limits)) > 0);
}

/** Objects whose names are read at once. */
const PAGE = 1000

/**
 * Deletes the objects that the rows of the database tell of and nothing needs. A store of many objects is not listed:
 * objects without any row stay until the bucket's own rules or an operator delete them.
 * @param before.entered Objects that were entered later stay
 * @param before.begun Objects that were begun later and are not entered stay
 */
async function deleteUnneeded(
  store: TenantObjects,
  before: { readonly entered: number; readonly begun: number },
): Promise<void> {
  const { byRows } = store
  if (byRows === undefined) return
  const finds = [() => byRows.unneeded(before.entered, PAGE), () => byRows.unfinished(before.begun, PAGE)]
  for (const find of finds) {
    let names
    do {
      names = await find()
      if (names.length > 0) await store.deleteAll(names)
    } while (names.length === PAGE)
  }
}

/** Deletes the objects that are older. @param only Only these. @default all */
async function expireObjects(store: TenantObjects, before: number, only?: ReadonlySet<string>): Promise<void> {
  for await (const { name, storedAt } of store.list()) {
    if (storedAt < before && (only === undefined || only.has(name))) await store.delete(name)
  }
}

/** Deletes inputs without a row when their lifetime is over, as that of a waiting task. */
async function expireUnnamedInputs(services: Services, before: number): Promise<void> {
  const { unnamed } = await findOrphans(services, 'inputs', before)
  await services.objects.inputs.deleteAll(unnamed)
  if (unnamed.length > 0) services.runtime.log.warn({ removed: unnamed.length }, 'inputs without a row have expired')
}

/** Time between two sweeps, in milliseconds. In a cluster one process sweeps for all. */
const SWEEP_INTERVAL_MS = 10 * 60 * 1000

/**
 * Gives the sweep the time of the database: the clock of one machine must not delete the data of all.
 * @returns `undefined` when the clock of this process is off: what else it compares is as wrong
 */
async function atStoreTime(services: Services): Promise<Services | undefined> {
  const { clock, clockOffset, log } = services.runtime
  const { time: storeTime } = services.stores
  const now = clockOffset.note(clock.now(), await storeTime())
  if (!clockOffset.isOff)
    return {
      ...services,
      runtime: { ...services.runtime, clock: { now: () => now, setTimer: clock.setTimer.bind(clock) } },
    }
  log.error({ aheadSeconds: clockOffset.milliseconds / 1000 }, 'the clock of this process is off: it does not sweep')
  return undefined
}

/** Sweeps every ten minutes. @returns Stops it, and resolves when the sweep in flight has ended. */
export function startSweeping(services: Services, lifetimes: Lifetimes): () => Promise<void> {
  const { clock, log } = services.runtime
  let running: Promise<unknown> = Promise.resolve()
  let cancel: (() => void) | undefined
  const startedAt = clock.now()
  let cleaned = false
  const work = async (): Promise<void> => {
    const onTime = await atStoreTime(services)
    if (onTime === undefined) return
    const isYoung = !services.stores.shared && clock.now() < startedAt + ORPHAN_AGE_MS
    if (!services.stores.shared && !isYoung && !cleaned) {
      // What remains from a crash is older than the start. One machine has no other process.
      await removeOrphans(onTime, { before: startedAt, areas: ['uploads'], unnamed: true })
      cleaned = true
    }
    await sweep(onTime, lifetimes, { spareUnnamed: isYoung })
  }
  const run = (): void => {
    // A little less, so that this process's own last sweep does not count.
    const turn = services.stores.leaderLock.run('sweep', work, SWEEP_INTERVAL_MS * 0.9)
    running = turn.catch((error: unknown) => log.error({ err: error }, 'sweeping failed'))
    cancel = clock.setTimer(SWEEP_INTERVAL_MS, run)
  }
  run()
  return async () => {
    cancel?.()
    await running
  }
}

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
