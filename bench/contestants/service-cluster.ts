// A worker whose engine waits, as one on another device does. It takes tasks of the cluster, or jobs of pg-boss. It
// tells its parent when it is ready, when each piece of work starts and when it ends.
import { setTimeout as sleep } from 'node:timers/promises'
import { PgBoss } from 'pg-boss'
import { systemClock } from '../../apps/service/src/domain/clock.ts'
import { openPostgres } from '../../apps/service/src/drivers/postgres/database.ts'
import { openPostgresDispatch } from '../../apps/service/src/drivers/postgres/dispatch.ts'
import { createTaskStore } from '../../apps/service/src/drivers/postgres/task-store.ts'
import { LEASE_MS } from '../../apps/service/src/use-cases/tasks/lease.ts'
import { WorkerLoop } from '../../apps/service/src/workers/loops.ts'

/** The queue whose workers run. `pg-boss work` waits for its own announcements instead of fetching all the time. */
export type Contestant = 'ours' | 'pg-boss' | 'pg-boss work'

/** Arguments of a worker. */
export interface WorkerArgs {
  readonly who: Contestant
  /** The database. */
  readonly url: string
  /** The queue of pg-boss. */
  readonly queue: string
  /** Work at the same time. */
  readonly atOnce: number
  /** Time that the engine waits for one task, in milliseconds. */
  readonly engineMs: number
}

/** What a worker tells its parent. */
export interface WorkerMessage {
  readonly event: 'ready' | 'start' | 'end'
  /** Milliseconds since 1970. */
  readonly at: number
}

const tell = (event: WorkerMessage['event']): void => {
  process.send?.({ event, at: Date.now() } satisfies WorkerMessage)
}
const [, , json = ''] = process.argv
// The case sends these.
const { who, url, queue, atOnce, engineMs } = JSON.parse(json) as WorkerArgs

/** Pause after an empty fetch, in milliseconds. */
const EMPTY_MS = 50

async function work(): Promise<void> {
  tell('start')
  await sleep(engineMs)
}

if (who === 'ours') {
  const database = await openPostgres({ url, onError: () => {} })
  const dispatch = await openPostgresDispatch({ database, url, clock: systemClock, onError: () => {} })
  const tasks = createTaskStore(database)
  const loop = new WorkerLoop({
    size: atOnce,
    claim: () => tasks.claim(LEASE_MS),
    work: async (claim) => {
      await work()
      await tasks.succeed(claim, { file: `${claim.taskId}.wav` })
      tell('end')
    },
    onError: (error) => console.error(error),
    clock: systemClock,
  })
  dispatch.listen('task', () => loop.wake())
} else {
  const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false, useListenNotify: true })
  await boss.start()
  if (who === 'pg-boss') {
    // Its own workers fetch single jobs at intervals, so each slot fetches as soon as it is free.
    for (let slot = 0; slot < atOnce; slot += 1) void fetchJobs(boss)
  } else {
    await boss.work(queue, { batchSize: 2, pollingIntervalSeconds: 0.5, notifyPollingIntervalSeconds: 0.5 }, work)
  }
}

async function fetchJobs(boss: PgBoss): Promise<void> {
  for (;;) {
    const [job] = await boss.fetch(queue, { batchSize: 1 })
    if (job === undefined) await sleep(EMPTY_MS)
    else {
      await work()
      await boss.complete(queue, job.id, { file: `${job.id}.wav` })
      tell('end')
    }
  }
}

tell('ready')
process.on('disconnect', () => process.exit())
