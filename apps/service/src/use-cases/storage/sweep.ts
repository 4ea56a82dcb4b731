import { dayOf } from '../../domain/usage.ts'
import type { TenantObjects } from '../../ports/tenant-objects.ts'
import type { Services } from '../../services.ts'
import { compareWithLedger, findOrphans, ORPHAN_AGE_MS, removeOrphans } from './orphans.ts'

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
  const { tasks, outbox, scratch, shared } = services
  await scratch.clear()
  // Other processes work with the rest. Their sweeps clean up after a crash.
  if (shared) return
  await compareWithLedger(services)
  await removeOrphans(services)
  // A stop returns its tasks to the queue, so a lease is one of a process that has crashed.
  const atWork = await tasks.dropLeases({ crashed: true })
  if (atWork > 0) services.log.warn({ tasks: atWork }, 'the service ended while tasks were running; they start again')
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
  const { tasks, responses, files, inputs, objects, results, usage, reserve, dispatch, clock } = services
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
async function expireAudit({ audit, clock }: Services, lifetime: number): Promise<void> {
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
  await services.inputs.deleteAll(unnamed)
  if (unnamed.length > 0) services.log.warn({ removed: unnamed.length }, 'inputs without a row have expired')
}

/** Time between two sweeps, in milliseconds. In a cluster one process sweeps for all. */
const SWEEP_INTERVAL_MS = 10 * 60 * 1000

/**
 * Gives the sweep the time of the database: the clock of one machine must not delete the data of all.
 * @returns `undefined` when the clock of this process is off: what else it compares is as wrong
 */
async function atStoreTime(services: Services): Promise<Services | undefined> {
  const { clock, clockOffset, storeTime, log } = services
  const now = clockOffset.note(clock.now(), await storeTime())
  if (!clockOffset.isOff) return { ...services, clock: { now: () => now, setTimer: clock.setTimer.bind(clock) } }
  log.error({ aheadSeconds: clockOffset.milliseconds / 1000 }, 'the clock of this process is off: it does not sweep')
  return undefined
}

/** Sweeps every ten minutes. @returns Stops it, and resolves when the sweep in flight has ended. */
export function startSweeping(services: Services, lifetimes: Lifetimes): () => Promise<void> {
  const { clock, log } = services
  let running: Promise<unknown> = Promise.resolve()
  let cancel: (() => void) | undefined
  const startedAt = clock.now()
  let cleaned = false
  const work = async (): Promise<void> => {
    const onTime = await atStoreTime(services)
    if (onTime === undefined) return
    const isYoung = !services.shared && clock.now() < startedAt + ORPHAN_AGE_MS
    if (!services.shared && !isYoung && !cleaned) {
      // What remains from a crash is older than the start. One machine has no other process.
      await removeOrphans(onTime, { before: startedAt, areas: ['uploads'], unnamed: true })
      cleaned = true
    }
    await sweep(onTime, lifetimes, { spareUnnamed: isYoung })
  }
  const run = (): void => {
    // A little less, so that this process's own last sweep does not count.
    const turn = services.leaderLock.run('sweep', work, SWEEP_INTERVAL_MS * 0.9)
    running = turn.catch((error: unknown) => log.error({ err: error }, 'sweeping failed'))
    cancel = clock.setTimer(SWEEP_INTERVAL_MS, run)
  }
  run()
  return async () => {
    cancel?.()
    await running
  }
}
