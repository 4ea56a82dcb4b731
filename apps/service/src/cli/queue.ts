import type { QueueLine } from '../ports/task-store.ts'
import type { ServiceOptions } from '../service-options.ts'
import { jsonText, type ListFormat, table } from './list-format.ts'
import { withStores } from './with-stores.ts'

/** Failed tasks are shown for this time, in milliseconds. */
const FAILED_MS = 24 * 3600 * 1000

/** Shows the queue of all tenants: what waits, runs and has failed. */
export function showQueue(options: ServiceOptions, { json = false }: ListFormat = {}): Promise<string> {
  return withStores(options, async ({ tasks, tenants }) => {
    const lines = await tasks.queue(Date.now() - FAILED_MS)
    const paused = new Set((await tenants.list()).filter((one) => one.paused).map(({ tenant }) => tenant))
    if (json) return jsonText({ queue: lines.map((line) => viewLine(line, paused)) })
    if (lines.length === 0) return 'No task waits, runs, or has failed in the last 24 hours.\n'
    return table(
      lines.map((line) => [
        line.tenant,
        line.kind,
        `${line.waiting} waiting`,
        `${line.running} running`,
        `${line.failed} failed`,
        line.waiting === 0 ? '' : `oldest ${Math.round(line.oldestMs / 1000)} s, work of ${secondsOf(line)} s`,
        paused.has(line.tenant) ? 'paused' : '',
      ]),
    )
  })
}

function viewLine(line: QueueLine, paused: ReadonlySet<string>) {
  const { tenant, kind, waiting, running, failed, oldestMs } = line
  const amounts = { waiting, running, failed, oldest_seconds: Math.round(oldestMs / 1000) }
  return { tenant, kind, ...amounts, estimated_seconds: secondsOf(line), paused: paused.has(tenant) }
}

/** Estimated processor time of the waiting tasks, in seconds. */
function secondsOf({ cost }: QueueLine): number {
  return Math.ceil(cost / 1000)
}
