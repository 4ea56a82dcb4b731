import { setTimeout as sleep } from 'node:timers/promises'
import { PgBoss } from 'pg-boss'
import { openPostgres, type PostgresDatabase } from '../../apps/service/src/drivers/postgres/database.ts'
import { openPostgresDispatch } from '../../apps/service/src/drivers/postgres/dispatch.ts'
import { migrate } from '../../apps/service/src/drivers/postgres/migrate.ts'
import { createTaskStore } from '../../apps/service/src/drivers/postgres/task-store.ts'
import { systemClock } from '../../apps/service/src/domain/clock.ts'
import { startPostgres } from '../../apps/service/test/postgres/server.ts'
import type { Contestant, WorkerArgs, WorkerMessage } from '../contestants/service-cluster.ts'
import {
  atLeast,
  type BenchCase,
  type BenchContext,
  type BenchRow,
  median,
  percentile,
  reported,
} from '../harness/bench-case.ts'
import { BenchProcess } from '../harness/processes.ts'

/** Work of one worker at the same time. */
const AT_ONCE = 4
/** Time that the engine waits for one task, in milliseconds. */
const ENGINE_MS = 100
/** The queue of pg-boss. */
const QUEUE = 'speech'

/** Time that the tasks of a run take when nothing but the engine takes time, in seconds. */
const RUN_SECONDS = 5
/** Runs of each contestant with each number of workers. */
const RUNS = 3
/** Tasks with a timed start. */
const PICK_UPS = 60

/** Tasks of a cluster on PostgreSQL, next to pg-boss on the same server. */
export const benchCase: BenchCase = {
  name: 'service-cluster',
  description: 'tasks a second with 1, 2 and 4 workers on PostgreSQL, and time until one starts, next to pg-boss',
  async run(context) {
    const postgres = await startPostgres()
    const { url } = postgres
    const database = await openPostgres({ url, onError: () => {} })
    const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false })
    try {
      await migrate(database)
      await boss.start()
      await boss.createQueue(QUEUE, { notify: true })
      const queues: Queues = { url, database, boss }
      return [...(await throughput(context, queues)), ...(await pickUps(context, queues))]
    } finally {
      await boss.stop({ graceful: false })
      await database.destroy()
      await postgres.stop()
    }
  },
}

interface Queues {
  readonly url: string
  readonly database: PostgresDatabase
  readonly boss: PgBoss
}

const ORDER = { tenant: 't', kind: 'audio.speech', model: 'm', request: { text: 'Hello' } } as const

async function throughput(context: BenchContext, queues: Queues): Promise<BenchRow[]> {
  const rates = { ours: new Map<number, number[]>(), 'pg-boss': new Map<number, number[]>() }
  for (let run = 1; run <= RUNS; run += 1) {
    for (const workers of [1, 2, 4]) {
      for (const who of ['ours', 'pg-boss'] as const) {
        context.progress(`${who}, ${workers} workers, run ${run} of ${RUNS}`)
        const rate = await work(context, queues, who, workers)
        rates[who].set(workers, [...(rates[who].get(workers) ?? []), rate])
      }
    }
  }
  const rateOf = (who: 'ours' | 'pg-boss', workers: number): number => median(rates[who].get(workers) ?? [])
  const rows: BenchRow[] = []
  for (const workers of [1, 2, 4]) {
    const [ours, peer] = [rateOf('ours', workers), rateOf('pg-boss', workers)]
    const row = { name: `cluster tasks with ${workers} workers`, unit: 'a second', ours, peers: { 'pg-boss': peer } }
    const ratio = ours / peer
    const limit = (workers * AT_ONCE * 1000) / ENGINE_MS
    rows.push({ ...row, limit, ratio, ...atLeast('ours/pg-boss', ratio, 0.8) })
  }
  const ratio = rateOf('ours', 4) / (4 * rateOf('ours', 1))
  const scaling = { name: 'cluster tasks: scaling from 1 to 4 workers', unit: '', ours: ratio, limit: 1, peers: {} }
  return [...rows, { ...scaling, ratio, ...atLeast('rate of 4 / 4 × rate of 1', ratio, 0.8) }]
}

/** @returns tasks a second, of a queue that was full before the workers started */
async function work(context: BenchContext, queues: Queues, who: Contestant, workers: number): Promise<number> {
  const count = (workers * AT_ONCE * 1000 * RUN_SECONDS) / ENGINE_MS
  if (who === 'ours') {
    const tasks = createTaskStore(queues.database)
    const ids = Array.from({ length: count }, () => `task_${crypto.randomUUID()}`)
    await Promise.all(ids.map((id) => tasks.accept({ ...ORDER, id })))
  } else {
    await queues.boss.insert(
      QUEUE,
      Array.from({ length: count }, () => ({ data: ORDER.request })),
    )
  }
  const running = await startWorkers(who, workers, queues.url, context.signal)
  try {
    while (running.ends.length < count) {
      context.signal.throwIfAborted()
      await sleep(20)
    }
    // The workers start one after the other: only what all of them did counts.
    const sorted = running.ends.toSorted((one, other) => one - other)
    const [from, to] = [Math.floor(count / 4), Math.floor((count * 3) / 4)]
    return ((to - from) * 1000) / ((sorted[to] ?? 0) - (sorted[from] ?? 0))
  } finally {
    running.stop()
  }
}

async function pickUps(context: BenchContext, queues: Queues): Promise<BenchRow[]> {
  const { database, url, boss } = queues
  const dispatch = await openPostgresDispatch({ database, url, clock: systemClock, onError: () => {} })
  const tasks = createTaskStore(database)
  const send = {
    ours: async () => {
      await tasks.accept({ ...ORDER, id: `task_${crypto.randomUUID()}` })
      dispatch.announce('task')
    },
    'pg-boss work': async () => void (await boss.send(QUEUE, ORDER.request)),
  }
  const times: Record<keyof typeof send, number[]> = { ours: [], 'pg-boss work': [] }
  for (const who of ['ours', 'pg-boss work'] as const) {
    context.progress(`${who}, picking up`)
    const running = await startWorkers(who, 1, url, context.signal)
    try {
      for (let task = 0; task < PICK_UPS; task += 1) {
        // The work of the task before has ended.
        await sleep(2.5 * ENGINE_MS)
        const sent = Date.now()
        await send[who]()
        while (running.starts.length <= task) await sleep(1)
        times[who].push((running.starts[task] ?? sent) - sent)
      }
    } finally {
      running.stop()
    }
  }
  await dispatch.close()
  const rows: BenchRow[] = []
  for (const part of [0.5, 0.95]) {
    const [ours, peer] = [percentile(times.ours, part), percentile(times['pg-boss work'], part)]
    const row = { name: `cluster task sent to start, p${part * 100}`, unit: 'ms', limit: null, ratio: null }
    rows.push({ ...row, ours, peers: { 'pg-boss': peer }, ...reported(`p${part * 100}`) })
  }
  return rows
}

/** Running workers. */
interface Workers {
  /** Times of starts and ends, in milliseconds since 1970. */
  readonly starts: number[]
  readonly ends: number[]
  stop(): void
}

/** Starts workers, each in its own process. Resolves when all are ready. They may have begun to work before. */
async function startWorkers(who: Contestant, count: number, url: string, signal: AbortSignal): Promise<Workers> {
  const args: WorkerArgs = { who, url, queue: QUEUE, atOnce: AT_ONCE, engineMs: ENGINE_MS }
  const entry = new URL('../contestants/service-cluster.ts', import.meta.url)
  const processes = Array.from({ length: count }, () => BenchProcess.start(entry, [JSON.stringify(args)], { signal }))
  const [starts, ends]: [number[], number[]] = [[], []]
  const stop = (): void => {
    for (const process of processes) process.stop()
  }
  try {
    await Promise.all(
      processes.map((process) => {
        const ready = Promise.withResolvers<undefined>()
        process.onMessage((message) => {
          // A worker sends nothing else.
          const { event, at } = message as WorkerMessage
          if (event === 'ready') ready.resolve(undefined)
          else (event === 'start' ? starts : ends).push(at)
        })
        return Promise.race([ready.promise, process.ended()])
      }),
    )
  } catch (error) {
    stop()
    throw error
  }
  return { starts, ends, stop }
}
