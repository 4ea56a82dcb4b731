import { Counter, Gauge, type Registry } from 'prom-client'
import type { ServerMetrics } from '../ports/store-metrics.ts'
import type { Services } from '../services.ts'

/**
 * Sets up the metrics of the claims of this process, and of the server of a cluster's queue.
 * @returns A function that sets them
 */
export function queueMetrics(
  { totals, databaseConnections }: Pick<Services, 'totals' | 'databaseConnections'>,
  registry: Registry,
): (server: ServerMetrics | undefined) => void {
  const registers = [registry]
  const gauge = (name: string, help: string, labelNames: readonly string[] = []): Gauge =>
    new Gauge({ name: `svc_audio_${name}`, help, labelNames: [...labelNames], registers })
  const total = (name: string, help: string): Counter => new Counter({ name: `svc_audio_${name}`, help, registers })
  const claims = total('claims_total', 'Claims of tasks by this process, those that found none too')
  const claimTime = total('claim_seconds_total', 'Time of these claims')
  const slowest = gauge('claim_seconds_max', 'Slowest claim since the last read')
  const attempts = total('task_attempts_total', 'Starts of tasks by this process')
  const lost = total('lost_leases_total', 'Tasks of this process that were cancelled, or that another worker has')
  const connections = gauge('database_connections', 'Connections to the database, by state', ['state'])
  const waiting = gauge('database_waiting', 'Calls that wait for a connection to the database')
  const snapshot = gauge('database_oldest_snapshot_seconds', 'Age of the oldest transaction that keeps dead rows')
  const dead = gauge('database_dead_rows', 'Rows that vacuum has not removed yet, by table of the queue', ['table'])
  const lag = gauge('database_replication_lag_seconds', 'How far the slowest standby is behind')
  return (server) => {
    const { count, seconds, slowestSeconds } = totals.claims.read()
    set(claims, count)
    set(claimTime, seconds)
    slowest.set(slowestSeconds)
    set(attempts, totals.attempts)
    set(lost, totals.lostLeases)
    const { waiting: calls = 0, ...states } = databaseConnections?.() ?? {}
    for (const [state, amount] of Object.entries(states)) connections.set({ state }, amount)
    waiting.set(calls)
    snapshot.set(server?.oldestSnapshotSeconds ?? 0)
    for (const [table, rows] of Object.entries(server?.deadRows ?? {})) dead.set({ table }, rows)
    lag.set(server?.replicationLagSeconds ?? 0)
  }
}

/** Sets a counter to a total that is counted elsewhere. */
function set(counter: Counter, total: number): void {
  counter.reset()
  counter.inc(total)
}
