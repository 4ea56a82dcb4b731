import { setTimeout as sleep } from 'node:timers/promises'
import { Random, SEED } from '@svc-audio/kit/engine-fixtures/random.ts'
import type { PostgresServer } from '../../postgres/server.ts'
import type { S3Process } from '../../s3/process.ts'
import type { FaultProxy } from './fault-proxy.ts'
import type { ClusterNode } from './nodes.ts'

const random = new Random(SEED)

/** What faults may hit. */
export interface FaultTargets {
  readonly nodes: readonly ClusterNode[]
  readonly postgres: PostgresServer
  readonly postgresProxy: FaultProxy
  readonly s3: S3Process
  readonly s3Proxy: FaultProxy
}

type Faults = Readonly<Record<string, () => Promise<void> | void>>

/** Longest time of a task without progress: above that of a query that fails. */
export const PATIENCE_MS = 30_000

/** A pause longer than a lease: the work of the paused process is taken over while it lives. */
const LONG_PAUSE_MS = 35_000

/**
 * Makes faults at random moments for some seconds: of processes and PostgreSQL, and of S3 at the same time. One worker
 * pauses for longer than its leases. Everything works when it resolves.
 * @returns The number of faults by kind
 */
export async function makeFaults(targets: FaultTargets, seconds: number): Promise<Record<string, number>> {
  const until = Date.now() + seconds * 1000
  const long = targets.nodes.find(({ role }) => role === 'worker')?.pause(LONG_PAUSE_MS)
  const counts = await Promise.all([repeat(processFaults(targets), until), repeat(s3Faults(targets), until)])
  await long
  return { ...counts[0], ...counts[1], 'pause of a worker for longer than its lease': 1 }
}

async function repeat(faults: Faults, until: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  const names = Object.keys(faults)
  for (let n = 0; Date.now() < until; n += 1) {
    await sleep(random.between(1500, 3500))
    const name = names[n % names.length] ?? ''
    await faults[name]?.()
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

function processFaults({ nodes, postgres, postgresProxy }: FaultTargets): Faults {
  const any = (role: 'api' | 'worker'): ClusterNode | undefined => {
    const some = nodes.filter((node) => node.role === role)
    return some.length === 0 ? undefined : random.pick(some)
  }
  return {
    'kill -9 of a worker': () => any('worker')?.kill(),
    'kill -9 of an API process': () => any('api')?.kill(),
    'pause of a worker': () => any('worker')?.pause(3000),
    'hang of an engine': () => any('worker')?.hang(3000),
    'all connections to PostgreSQL cut': () => postgresProxy.cut(),
    'delay of 50 ms to PostgreSQL': () => slow(postgresProxy, 50),
    'kill -9 of PostgreSQL': async () => {
      await postgres.kill()
      await postgres.start()
    },
  }
}

function s3Faults({ s3, s3Proxy }: FaultTargets): Faults {
  return {
    'kill -9 of S3': async () => {
      await s3.kill()
      await sleep(1000)
      await s3.start()
    },
    'all connections to S3 cut': () => s3Proxy.cut(),
    'pause of S3': () => s3.pause(4000),
    'delay of 100 ms to S3': () => slow(s3Proxy, 100),
    'S3 refuses connections': async () => {
      s3Proxy.down = true
      await sleep(5000)
      s3Proxy.down = false
    },
  }
}

async function slow(proxy: FaultProxy, milliseconds: number): Promise<void> {
  proxy.delay = milliseconds
  await sleep(2000)
  proxy.delay = 0
}
