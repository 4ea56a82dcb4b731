import type { ServerMetrics } from '../ports/store-metrics.ts'
import type { Services } from '../services.ts'
import type { Metrics } from './prometheus.ts'

/**
 * Sets up the metrics of the claims of this process, and of the server of a cluster's queue.
 * @returns A function that sets them
 */
export function queueMetrics(
  { totals, databaseConnections }: Pick<Services, 'totals' | 'databaseConnections'>,
  metrics: Metrics,
): (server: ServerMetrics | undefined) => void {
  const claims = metrics.counter('claims_total', 'Claims of tasks by this process, those that found none too')
  const claimTime = metrics.counter('claim_seconds_total', 'Time of these claims')
  const slowest = metrics.gauge('claim_seconds_max', 'Slowest claim since the last read')
  const attempts = metrics.counter('task_attempts_total', 'Starts of tasks by this process')
  const lost = metrics.counter(
    'lost_leases_total',
    'Tasks of this process that were cancelled, or that another worker has',
  )
  const connections = metrics.gauge('database_connections', 'Connections to the database, by state', ['state'])
  const waiting = metrics.gauge('database_waiting', 'Calls that wait for a connection to the database')
  const snapshot = metrics.gauge(
    'database_oldest_snapshot_seconds',
    'Age of the oldest transaction that keeps dead rows',
  )
  const dead = metrics.gauge('database_dead_rows', 'Rows that vacuum has not removed yet, by table of the queue', [
    'table',
  ])
  const lag = metrics.gauge('database_replication_lag_seconds', 'How far the slowest standby is behind')
  return (server) => {
    const { count, seconds, slowestSeconds } = totals.claims.read()
    claims.set(count)
    claimTime.set(seconds)
    slowest.set(slowestSeconds)
    attempts.set(totals.attempts)
    lost.set(totals.lostLeases)
    const { waiting: calls = 0, ...states } = databaseConnections?.() ?? {}
    connections.setEach(states)
    waiting.set(calls)
    snapshot.set(server?.oldestSnapshotSeconds ?? 0)
    dead.setEach(server?.deadRows ?? {})
    lag.set(server?.replicationLagSeconds ?? 0)
  }
}
