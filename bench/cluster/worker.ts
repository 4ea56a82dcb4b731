// A worker whose engine waits, as one on another device does. It takes tasks of the cluster, or jobs of pg-boss. It
// tells its parent when it is ready, when each piece of work starts and when it ends.
import { setTimeout as sleep } from 'node:timers/promises'
import { PgBoss } from 'pg-boss'
import { systemClock } from '../../apps/service/src/domain/clock.ts'
import { openPostgres } from '../../apps/service/src/drivers/postgres/database.ts'
import { openPostgresDispatch } from '../../apps/service/src/drivers/postgres/dispatch.ts'
import { createTaskStore } from '../../apps/service/src/drivers/postgres/task-store.ts'
import { LEASE_MS } from '../../apps/service/src/use-cases/tasks/renew-lease.ts'
import { WorkerLoop } from '../../apps/service/src/workers/worker-loop.ts'
import { AT_ONCE, ENGINE_MS, QUEUE, type WorkerMessage } from './terms.ts'

const tell = (message: WorkerMessage): void => void process.send?.(message)
const [who = '', url = ''] = process.argv.slice(2)

/** Pause after an empty fetch, in milliseconds. */
const EMPTY_MS = 50

async function work(): Promise<void> {
  tell({ event: 'start', at: Date.now() })
  await sleep(ENGINE_MS)
}

if (who === 'ours') {
  const database = await openPostgres({ url, onError: () => {} })
  const dispatch = await openPostgresDispatch({ database, url, clock: systemClock, onError: () => {} })
  const tasks = createTaskStore(database)
  const loop = new WorkerLoop({
    size: AT_ONCE,
    claim: () => tasks.claim(LEASE_MS),
    work: async (claim) => {
      await work()
      await tasks.succeed(claim, { file: `${claim.taskId}.wav` })
      tell({ event: 'end', at: Date.now() })
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
    for (let slot = 0; slot < AT_ONCE; slot += 1) void fetchJobs(boss)
  } else {
    await boss.work(QUEUE, { batchSize: 2, pollingIntervalSeconds: 0.5, notifyPollingIntervalSeconds: 0.5 }, work)
  }
}

async function fetchJobs(boss: PgBoss): Promise<void> {
  for (;;) {
    const [job] = await boss.fetch(QUEUE, { batchSize: 1 })
    if (job === undefined) await sleep(EMPTY_MS)
    else {
      await work()
      await boss.complete(QUEUE, job.id, { file: `${job.id}.wav` })
      tell({ event: 'end', at: Date.now() })
    }
  }
}

tell({ event: 'ready', at: Date.now() })
process.on('disconnect', () => process.exit())
