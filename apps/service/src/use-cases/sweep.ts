import { isStoreError } from '../domain/errors.ts'
import { dayOf } from '../domain/usage.ts'
import type { Expired, Expiry, ExpiringRows } from '../ports/expiry.ts'
import type { RowPage, RowPosition, StorageArea } from '../ports/storage-ledger.ts'
import type { TenantObjects } from '../ports/object-store.ts'
import type { Services, Using } from '../services.ts'
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

/** The clean-ups. Each has its own turn: one that fails or takes long holds up no other. */
export const CLEAN_UPS = ['uploads', 'inputs', 'audit', 'usage', 'results'] as const

/** A clean-up of {@link CLEAN_UPS}. */
export type CleanUpName = (typeof CLEAN_UPS)[number]

/** Options of a clean-up. */
export interface CleanUpOptions {
  /** Whether expired objects without a row stay. @default false */
  readonly spareUnnamed?: boolean
  /** Ends the clean-up after the batch in flight. @default nothing does */
  readonly signal?: AbortSignal
  /** Where the last walk over the rows of each area ended, which the next one continues. @default it starts again */
  readonly walks?: Map<StorageArea, RowPosition>
}

/**
 * Deletes expired data, in short transactions. On a full disk it uses the reserve, and refills the reserve at the end.
 * Every step is safe to run again. A clean-up that fails does not stop the others.
 * @throws The first error of a clean-up, after all others
 */
export async function sweep(services: Services, lifetimes: Lifetimes, options: CleanUpOptions = {}): Promise<void> {
  const errors: unknown[] = []
  for (const name of CLEAN_UPS) {
    await cleanUp(services, name, { ...options, lifetimes }).catch((error: unknown) => errors.push(error))
  }
  if (errors.length > 0) throw errors[0]
}

/**
 * Does one clean-up.
 * @returns Whether it is complete: it was not aborted
 * @throws What the stores throw
 */
async function cleanUp(
  services: Services,
  name: CleanUpName,
  options: CleanUpOptions & { readonly lifetimes: Lifetimes },
): Promise<boolean> {
  const run = new CleanUp(services, options)
  await run[name]()
  await services.objects.reserve.refill()
  return !run.isAborted
}

/** The counts of expired rows that wait for the clean-up. Each is at most {@link MOST_EXPIRED_COUNTED}. */
export function countExpired(
  {
    stores: { metrics },
    runtime: { clock, clockOffset },
  }: Using<'stores.metrics' | 'runtime.clock' | 'runtime.clockOffset'>,
  lifetimes: Lifetimes,
): Promise<Readonly<Record<ExpiringRows, number>>> {
  const now = clock.now() - clockOffset.milliseconds
  return metrics.countExpired({
    files: now - (lifetimes.uploads ?? Infinity),
    inputs: now - lifetimes.inputs,
    requests: now - lifetimes.failedRequests,
    responses: now - lifetimes.responses,
    tasks: now - lifetimes.results,
  })
}

/** Time of a batch, in milliseconds: a batch that takes longer is followed by a smaller one. */
const BATCH_MS = 100
/** Rows of the first, the smallest and the largest batch. */
const BATCH_ROWS = { first: 250, min: 25, max: 4000 } as const

/** Rows whose objects are needed that a turn passes over in an area. The next turn continues there. */
const MOST_PASSED = 200_000

/** Objects whose rows are read at once. */
const PAGE = 1000

/** Maximum records of the audit log: about 250 MB. */
const MOST_AUDIT_RECORDS = 1_000_000
/** Maximum of them that are not of clients. Those of clients never push them out. */
const MOST_OPERATOR_RECORDS = 100_000

/** One run of the clean-ups. */
class CleanUp implements Readonly<Record<CleanUpName, () => Promise<void>>> {
  readonly #services: Services
  readonly #options: CleanUpOptions & { readonly lifetimes: Lifetimes }
  readonly #now: number

  constructor(services: Services, options: CleanUpOptions & { readonly lifetimes: Lifetimes }) {
    this.#services = services
    this.#options = options
    this.#now = services.runtime.clock.now()
  }

  /** Whether it was stopped before its end. */
  get isAborted(): boolean {
    return this.#options.signal?.aborted === true
  }

  async uploads(): Promise<void> {
    const { files } = this.#services.stores
    const { uploads: objects } = this.#services.objects
    const { uploads: lifetime } = this.#options.lifetimes
    if (lifetime !== undefined) {
      await this.#rows(lifetime, (expiry) => files.forget(expiry), objects)
    }
    await this.#deleteUnneeded('uploads', this.#now - ORPHAN_AGE_MS)
  }

  async inputs(): Promise<void> {
    const { tasks, dispatch } = this.#services.stores
    const { inputs } = this.#services.objects
    const { lifetimes, spareUnnamed = false } = this.#options
    const failed = await this.#rows(lifetimes.inputs, (expiry) => tasks.expireInputs(expiry, EXPIRED), inputs)
    if (failed > 0) dispatch.announce('webhook')
    await this.#rows(lifetimes.failedRequests, (expiry) => tasks.expireRequests(expiry), inputs)
    if (inputs.byRows !== undefined) return this.#deleteUnneeded('inputs', this.#now - ORPHAN_AGE_MS)
    await removeOrphans(this.#services, { before: this.#now - ORPHAN_AGE_MS, areas: ['inputs'] })
    if (!spareUnnamed) await expireUnnamedInputs(this.#services, this.#now - lifetimes.inputs)
  }

  async results(): Promise<void> {
    const { responses, tasks } = this.#services.stores
    const { results } = this.#services.objects
    const { lifetimes, spareUnnamed = false } = this.#options
    // Answers and tasks first: a stored task then always has its result.
    await this.#rows(lifetimes.responses, (expiry) => responses.expire(expiry))
    await this.#rows(lifetimes.results, (expiry) => tasks.forget(expiry))
    if (this.isAborted) return
    const before = this.#now - lifetimes.results
    if (results.byRows !== undefined) return this.#deleteUnneeded('results', before)
    await this.#expireObjects(results, before, spareUnnamed ? await results.entered() : undefined)
  }

  /** Removes records of the audit log in small transactions: others wait for each. */
  async audit(): Promise<void> {
    const { audit } = this.#services.stores
    const before = this.#now - this.#options.lifetimes.audit
    const limits = { before, max: MOST_AUDIT_RECORDS, operators: MOST_OPERATOR_RECORDS }
    await this.#inBatches(async () => ((await audit.expire(limits)) > 0 ? 0 : undefined))
  }

  async usage(): Promise<void> {
    const { usage } = this.#services.stores
    const days = dayOf(this.#now - USAGE_LIFETIME_MS)
    const counters = dayOf(this.#now - COUNTER_LIFETIME_MS)
    await this.#inBatches(async (limit) => ((await usage.forget({ days, counters, limit })) < limit ? undefined : 0))
  }

  /**
   * Deletes rows that are older than a lifetime, and then the objects that only they named.
   * @returns The number of rows
   */
  async #rows(lifetime: number, take: (expiry: Expiry) => Promise<Expired>, objects?: TenantObjects): Promise<number> {
    const before = this.#now - lifetime
    let total = 0
    let outage: { readonly error: unknown } | undefined
    await this.#inBatches(async (limit, from) => {
      const { count, objects: names, next } = await take({ before, limit, from })
      total += count
      try {
        if (objects !== undefined && names.length > 0) await this.#delete(objects, names)
      } catch (error) {
        if (!isStoreError(error)) throw error
        // The rows do not wait for the store. A later turn finds their objects in the ledger.
        outage ??= { error }
      }
      return next
    })
    if (outage !== undefined) throw outage.error
    return total
  }

  /** Repeats batches of a size that takes about {@link BATCH_MS}, until one says that it was the last. */
  async #inBatches(batch: (limit: number, from: number | undefined) => Promise<number | undefined>): Promise<void> {
    let limit: number = BATCH_ROWS.first
    let from: number | undefined
    do {
      const started = performance.now()
      from = await this.#services.objects.reserve.use(() => batch(limit, from))
      const share = BATCH_MS / (performance.now() - started)
      const size = Math.round(limit * Math.min(2, Math.max(0.25, share)))
      limit = Math.min(BATCH_ROWS.max, Math.max(BATCH_ROWS.min, size))
    } while (from !== undefined && !this.isAborted)
  }

  /** Deletes objects. Those that the store refuses to delete stay, with their rows. */
  async #delete(objects: TenantObjects, names: readonly string[]): Promise<void> {
    const refused = await objects.deleteAll(names)
    if (refused.length === 0) return
    const some = { refused: refused.length, some: refused.slice(0, 10) }
    this.#services.runtime.log.warn(
      some,
      'the store refuses to delete objects: they stay, and a later clean-up repeats it',
    )
  }

  /**
   * Deletes the objects that the rows of the database tell of and nothing needs. A store of many objects is not listed:
   * objects without any row stay until the bucket's own rules or an operator delete them.
   * @param entered Objects that were entered later stay. Those that were begun within the last hour stay too
   */
  async #deleteUnneeded(area: StorageArea, entered: number): Promise<void> {
    const store = this.#services.objects[area]
    const { byRows } = store
    if (byRows === undefined) return
    await this.#walk(store, (after) => byRows.unfinished({ before: this.#now - ORPHAN_AGE_MS, limit: PAGE, after }))
    const { walks } = this.#options
    const rest = await this.#walk(
      store,
      (after) => byRows.unneeded({ before: entered, limit: PAGE, after }),
      walks?.get(area),
    )
    if (rest === undefined) walks?.delete(area)
    else walks?.set(area, rest)
  }

  /** Deletes what each page finds. @returns Where the next walk continues. `undefined` at the end of the rows */
  async #walk(
    store: TenantObjects,
    read: (after: RowPosition | undefined) => Promise<RowPage>,
    from?: RowPosition,
  ): Promise<RowPosition | undefined> {
    let after = from
    let passed = 0
    while (!this.isAborted) {
      const page = await read(after)
      if (page.names.length > 0) await this.#delete(store, page.names)
      if (page.read < PAGE) return undefined
      after = page.last
      passed += page.read - page.names.length
      if (passed > MOST_PASSED) break
    }
    return after
  }

  /** Deletes the objects that are older. @param only Only these. @default all */
  async #expireObjects(store: TenantObjects, before: number, only?: ReadonlySet<string>): Promise<void> {
    let names: string[] = []
    for await (const { name, storedAt } of store.list()) {
      if (storedAt < before && (only === undefined || only.has(name))) names.push(name)
      if (names.length < PAGE) continue
      await this.#delete(store, names)
      names = []
    }
    await this.#delete(store, names)
  }
}

/** Deletes inputs without a row when their lifetime is over, as that of a waiting task. */
async function expireUnnamedInputs(services: Services, before: number): Promise<void> {
  const { unnamed } = await findOrphans(services, 'inputs', before)
  await services.objects.inputs.deleteAll(unnamed)
  if (unnamed.length > 0) services.runtime.log.warn({ removed: unnamed.length }, 'inputs without a row have expired')
}

/** Time between two sweeps, in milliseconds. In a cluster one process does each clean-up for all. */
const SWEEP_INTERVAL_MS = 10 * 60 * 1000

/** Gives the sweep the time of the database: it decides what has expired, whatever the clock of this process says. */
async function atStoreTime(services: Services): Promise<Services> {
  const { clock, clockOffset, log } = services.runtime
  const { time: storeTime } = services.stores
  const now = clockOffset.note(clock.now(), await storeTime())
  if (clockOffset.isOff) {
    const off = { aheadSeconds: clockOffset.milliseconds / 1000 }
    log.error(off, 'the clock of this process is off: the clean-up uses that of the database')
  }
  return {
    ...services,
    runtime: { ...services.runtime, clock: { now: () => now, setTimer: clock.setTimer.bind(clock) } },
  }
}

/** Sweeps every ten minutes. @returns Stops it, and resolves when the batches in flight have ended. */
export function startSweeping(services: Services, lifetimes: Lifetimes): () => Promise<void> {
  const { clock, log } = services.runtime
  const { leaderLock, shared } = services.stores
  const running = new Map<CleanUpName, Promise<void>>()
  const sweeps = new Set<Promise<void>>()
  const walks = new Map<StorageArea, RowPosition>()
  const stop = new AbortController()
  let cancel: (() => void) | undefined
  const startedAt = clock.now()
  let cleaned = false
  const work = async (name: CleanUpName): Promise<boolean> => {
    const onTime = await atStoreTime(services)
    const isYoung = !shared && clock.now() < startedAt + ORPHAN_AGE_MS
    if (name === 'uploads' && !shared && !isYoung && !cleaned) {
      // What remains from a crash is older than the start. One machine has no other process.
      await removeOrphans(onTime, { before: startedAt, areas: ['uploads'], unnamed: true })
      cleaned = true
    }
    return cleanUp(onTime, name, { lifetimes, spareUnnamed: isYoung, signal: stop.signal, walks })
  }
  const sweepAll = async (): Promise<void> => {
    for (const name of CLEAN_UPS) {
      // One that takes longer than the interval does not run twice, and the others do not wait for it.
      if (stop.signal.aborted || running.has(name)) continue
      // A little less, so that this process's own last sweep does not count.
      const turn = leaderLock.run(turnOf(name), () => work(name), SWEEP_INTERVAL_MS * 0.9)
      const ended = turn.then(
        () => undefined,
        (error: unknown) => log.error({ err: error, cleanUp: name }, 'sweeping failed'),
      )
      running.set(name, ended)
      await ended
      running.delete(name)
    }
  }
  const run = (): void => {
    const swept = sweepAll().finally(() => sweeps.delete(swept))
    sweeps.add(swept)
    cancel = clock.setTimer(SWEEP_INTERVAL_MS, run)
  }
  run()
  return async () => {
    cancel?.()
    stop.abort()
    await Promise.all(sweeps)
  }
}

/** The name of the turns of a clean-up. */
function turnOf(name: CleanUpName): string {
  return `sweep ${name}`
}

/** How long ago each clean-up was completed, in milliseconds. Without one yet: since this process began to look. */
export async function readCleanUpAges(
  { stores: { leaderLock } }: Using<'stores.leaderLock'>,
  sinceStart: number,
): Promise<Readonly<Record<CleanUpName, number>>> {
  const ages = await leaderLock.ages()
  const ageOf = (name: CleanUpName): number => ages.get(turnOf(name)) ?? sinceStart
  return {
    uploads: ageOf('uploads'),
    inputs: ageOf('inputs'),
    audit: ageOf('audit'),
    usage: ageOf('usage'),
    results: ageOf('results'),
  }
}
