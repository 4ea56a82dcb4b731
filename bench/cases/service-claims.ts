import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import { startPostgres } from '../../apps/service/test/postgres/server.ts'
import { type Contestant, graphileWorker, type Load, ours, ourWebhooks, pgBoss } from '../contestants/service-claims.ts'
import { atMost, type BenchCase, type BenchContext, type BenchRow, median } from '../harness/bench-case.ts'

const JOBS = [100_000, 1_000_000]
/** Jobs of a short run. */
const FEW_JOBS = [10_000]
const TENANTS = [10, 100, 1000]
const LEASES = [0, 4000]

/** Webhook calls, and the tenants among whom they are divided. 99 of a hundred wait for a retry. */
const CALLS: readonly Load[] = [10, 1000, 3000].map((tenants) => ({ jobs: 150_000, tenants, leases: 0 }))

/** The most that the claim of a call may cost with the most tenants, beside that with the fewest: it is flat. */
const MOST_GROWTH = 1.5

/** Rounds of each contestant, and claims of a round: short ones, so that what slows the machine meets all of them. */
const ROUNDS = 60
const CLAIMS = 20

/** Claims before the first round: they plan the statements and read the first pages. */
const WARM_UP = 30

/** How many there are now: later the process may use fewer. */
const PROCESSORS = availableParallelism()

/** The most that a claim may cost beside that of pg-boss: it is flat, and below it. */
const MOST_RATIO = 1

/** What a claim costs the server, next to Graphile Worker and pg-boss on the same server. */
export const benchCase: BenchCase = {
  name: 'service-claims',
  description: 'CPU of PostgreSQL for a claim, with many tenants, leases and jobs, next to Graphile Worker and pg-boss',
  async run(context) {
    // All jobs stay in memory, and no checkpoint falls into a round.
    const postgres = await startPostgres(['shared_buffers=1GB', 'max_wal_size=8GB', 'checkpoint_timeout=1d'])
    const all: Contestant[] = []
    try {
      const { url } = postgres
      const contestants = {
        ours: await ours(url),
        'graphile-worker': await graphileWorker(url),
        'pg-boss': await pgBoss(url),
      }
      all.push(...Object.values(contestants))
      const rows: BenchRow[] = []
      for (const jobs of context.megabytes === undefined ? JOBS : FEW_JOBS) {
        for (const leases of LEASES) {
          for (const tenants of TENANTS) {
            // The others do not know tenants: their queues are filled once for all.
            const filled = tenants === TENANTS[0] ? Object.values(contestants) : [contestants.ours]
            rows.push(await measure(context, contestants, filled, { jobs, tenants, leases }))
          }
        }
      }
      // The process of the server is found by the name of its connection: only one may have it.
      for (const contestant of all.splice(0)) await contestant.close()
      const calls = await ourWebhooks(url)
      all.push(calls)
      return [...rows, ...(await measureCalls(context, calls))]
    } finally {
      for (const contestant of all) await contestant.close()
      await postgres.stop()
      await bind(process.pid, `0-${PROCESSORS - 1}`)
    }
  },
}

async function measure(
  context: BenchContext,
  contestants: Readonly<Record<'ours' | 'graphile-worker' | 'pg-boss', Contestant>>,
  filled: readonly Contestant[],
  load: Load,
): Promise<BenchRow> {
  const name = `claim of ${load.jobs} jobs of ${load.tenants} tenants, ${load.leases} leases`
  context.progress(name)
  for (const contestant of filled) await contestant.fill(load)
  const costs = await claimInTurn(context, Object.entries(contestants))
  const costOf = (who: keyof typeof contestants): number => costs.get(who) ?? Number.NaN
  const peers = { 'graphile-worker': costOf('graphile-worker'), 'pg-boss': costOf('pg-boss') }
  const ratio = costOf('ours') / peers['pg-boss']
  const bar = atMost('ours/pg-boss', ratio, MOST_RATIO)
  return { name, unit: 'µs CPU', ours: costOf('ours'), limit: null, peers, ratio, ...bar }
}

/** What the claim of a webhook call costs with few tenants and with many. */
async function measureCalls(context: BenchContext, calls: Contestant): Promise<BenchRow[]> {
  const rows: BenchRow[] = []
  for (const load of CALLS) {
    const name = `claim of a webhook call of ${load.tenants} tenants, 99 % wait`
    context.progress(name)
    await calls.fill(load)
    const cost = (await claimInTurn(context, [['ours', calls]])).get('ours') ?? Number.NaN
    const ratio = cost / (rows[0]?.ours ?? cost)
    const bar = atMost(`ours/${CALLS[0]?.tenants} tenants`, ratio, MOST_GROWTH)
    rows.push({ name, unit: 'µs CPU', ours: cost, limit: null, peers: {}, ratio, ...bar })
  }
  return rows
}

/** Lets the contestants claim in turns. @returns the median of the processor time of a claim, by contestant */
async function claimInTurn(
  context: BenchContext,
  contestants: readonly (readonly [string, Contestant])[],
): Promise<ReadonlyMap<string, number>> {
  const costs = new Map<string, number[]>()
  const running: [string, Contestant, number][] = []
  for (const [who, contestant] of contestants) {
    for (let claim = 0; claim < WARM_UP; claim += 1) await contestant.claim()
    await contestant.settle?.()
    running.push([who, contestant, await contestant.pid()])
  }
  await divideProcessors(running.map(([, , pid]) => pid))
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [who, contestant, pid] of running) {
      context.signal.throwIfAborted()
      const before = await cpuMicroseconds(pid)
      for (let claim = 0; claim < CLAIMS; claim += 1) await contestant.claim()
      costs.set(who, [...(costs.get(who) ?? []), ((await cpuMicroseconds(pid)) - before) / CLAIMS])
      await contestant.settle?.()
    }
  }
  return new Map([...costs].map(([who, values]) => [who, median(values)]))
}

/**
 * Lets the servers run on the first processor and this process on the others. Left alone, one of them may share a
 * processor with this process for minutes while another does not, and the same claim costs half as much again.
 */
async function divideProcessors(servers: readonly number[]): Promise<void> {
  for (const pid of servers) await bind(pid, '0')
  if (PROCESSORS > 1) await bind(process.pid, `1-${PROCESSORS - 1}`)
}

/** @param processors A list as `taskset` reads it. */
async function bind(pid: number, processors: string): Promise<void> {
  await promisify(execFile)('taskset', ['--all-tasks', '--cpu-list', '--pid', processors, String(pid)])
}

/** Processor time of a process on this machine. */
async function cpuMicroseconds(pid: number): Promise<number> {
  const [nanoseconds] = (await readFile(`/proc/${pid}/schedstat`, 'utf8')).split(' ')
  return Number(nanoseconds) / 1000
}
