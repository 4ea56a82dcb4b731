import { dayOf } from '../../domain/usage.ts'
import type { TenantObjects } from '../../ports/tenant-objects.ts'
import type { Services } from '../../services.ts'

/** Lifetimes of stored data, in milliseconds. */
export interface Lifetimes {
  /** An uploaded file. @default until it is deleted */
  readonly uploads?: number
  /** The input of a queued task. */
  readonly inputs: number
  /** An ended task and its result. */
  readonly results: number
  /** The stored answer of an idempotency key. */
  readonly answers: number
  /** A record of the audit log. */
  readonly audit: number
}

const EXPIRED = { code: 'input_expired', message: 'The task waited longer than its input is stored' }

/**
 * Cleans up after a crash, before the service answers. It removes partial uploads, inputs without a task, results that
 * no answer names, and bytes of files without a record. Tasks in flight can be claimed again.
 */
export async function recover(services: Services): Promise<void> {
  const { tasks, files, outbox, inputs, objects, scratch, shared } = services
  await scratch.clear()
  // Other processes work with the rest. Their sweeps clean up after a crash.
  if (shared) return
  await removeUnused(inputs, (names) => tasks.inputsInUse(names))
  await removeUnused(objects, (names) => files.known(names))
  for (const store of [inputs, objects]) await store.reconcile()
  await recoverResults(services)
  await tasks.dropLeases()
  await outbox.dropLeases()
}

/**
 * Removes results that no task names, and results of answers that were never entered into the ledger. An entered
 * result stays: its answer may have been sent.
 */
async function recoverResults({ results, tasks }: Services): Promise<void> {
  const neverEntered = await results.reconcile()
  await removeUnused(results, async (names) => {
    const named = await tasks.resultsInUse(names)
    return new Set(names.filter((name) => named.has(name) || !(name.startsWith('task_') || neverEntered.has(name))))
  })
}

/** @param before Objects stored later stay: their task may not be accepted yet. @default none stays */
async function removeUnused(
  store: TenantObjects,
  used: (names: readonly string[]) => Promise<ReadonlySet<string>>,
  before: number = Infinity,
): Promise<void> {
  const names: string[] = []
  for await (const { name, storedAt } of store.list()) if (storedAt < before) names.push(name)
  const needed = await used(names)
  for (const name of names) if (!needed.has(name)) await store.delete(name)
}

/** An input without a task is removed after this time, in milliseconds: a command has cancelled its task. */
const UNUSED_INPUT_MS = 3_600_000

/** Usage is stored for thirteen months, in milliseconds. */
const USAGE_LIFETIME_MS = 400 * 86_400_000

/** A process without a batch of usage for this time has ended, in milliseconds. */
const COUNTER_LIFETIME_MS = 7 * 86_400_000

/**
 * Deletes expired data. On a full disk it uses the reserve, and refills the reserve at the end. Every step is safe to
 * run again.
 */
export async function sweep(services: Services, lifetimes: Lifetimes): Promise<void> {
  const { tasks, answers, files, inputs, objects, results, usage, reserve, dispatch, clock } = services
  const { uploads } = lifetimes
  if (uploads !== undefined) {
    for (const id of await reserve.use(() => files.forget(clock.now() - uploads))) await objects.delete(id)
  }
  const inputsBefore = clock.now() - lifetimes.inputs
  for (const name of await reserve.use(() => tasks.expireInputs(inputsBefore, EXPIRED))) await inputs.delete(name)
  dispatch.announce('webhook')
  const before = clock.now() - lifetimes.results
  // Answers and tasks first: a stored task then always has its result.
  await reserve.use(() => answers.expire(clock.now() - lifetimes.answers))
  await reserve.use(() => tasks.forget(before))
  await reserve.use(() => expireAudit(services, lifetimes.audit))
  for await (const { name, storedAt } of results.list()) if (storedAt < before) await results.delete(name)
  await removeUnused(inputs, (names) => tasks.inputsInUse(names), clock.now() - UNUSED_INPUT_MS)
  await reserve.use(() =>
    usage.forget({ days: dayOf(clock.now() - USAGE_LIFETIME_MS), counters: dayOf(clock.now() - COUNTER_LIFETIME_MS) }),
  )
  await reserve.refill()
}

/** Most records of the audit log: about 250 MB. */
const MOST_AUDIT_RECORDS = 1_000_000
/** Most of them that are not of clients. Those of clients never push them out. */
const MOST_OPERATOR_RECORDS = 100_000

/** Removes records of the audit log in small transactions: others wait for each. */
async function expireAudit({ audit, clock }: Services, lifetime: number): Promise<void> {
  const before = clock.now() - lifetime
  const limits = { before, most: MOST_AUDIT_RECORDS, operators: MOST_OPERATOR_RECORDS }
  while ((await audit.expire(limits)) > 0);
}

/** A file older than this has its record, or never gets one, in milliseconds. */
const UNRECORDED_MS = 3600 * 1000

/** Cleans up after a crash of any process: removes files without a record that are too old to get one. */
async function removeOrphans({ files, objects, clock }: Services): Promise<void> {
  await removeUnused(objects, (names) => files.known(names), clock.now() - UNRECORDED_MS)
}

/** Time between two comparisons of the ledger with the stores, in milliseconds. */
const LEDGER_INTERVAL_MS = 3600 * 1000

/** Removes entries of the ledger without an object: a lost connection to the database may leave one. */
async function compareLedger({ inputs, objects, results }: Services): Promise<void> {
  for (const area of [inputs, objects, results]) await area.strikeMissing()
}

/** Time between two sweeps, in milliseconds. In a cluster one process sweeps for all. */
const SWEEP_INTERVAL_MS = 10 * 60 * 1000

/** Sweeps every ten minutes. @returns Stops it, and resolves when the sweep in flight has ended. */
export function startSweeping(services: Services, lifetimes: Lifetimes): () => Promise<void> {
  const { clock, log } = services
  let running: Promise<unknown> = Promise.resolve()
  let cancel: (() => void) | undefined
  const work = async (): Promise<void> => {
    if (services.shared) await removeOrphans(services)
    await sweep(services, lifetimes)
    // One machine compares at its start.
    if (services.shared) await services.exclusive.run('ledger', () => compareLedger(services), LEDGER_INTERVAL_MS)
  }
  const run = (): void => {
    // A little less, so that this process's own last sweep does not count.
    const turn = services.exclusive.run('sweep', work, SWEEP_INTERVAL_MS * 0.9)
    running = turn.catch((error: unknown) => log.error({ err: error }, 'sweeping failed'))
    cancel = clock.setTimer(SWEEP_INTERVAL_MS, run)
  }
  run()
  return async () => {
    cancel?.()
    await running
  }
}
