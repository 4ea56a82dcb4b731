import { newId } from '../domain/ids.ts'
import type { QueueLine, StoredTask, TaskQuery } from '../ports/task-store.ts'
import type { ServiceOptions } from '../service-options.ts'
import { CANCELLED } from '../use-cases/tasks/accept.ts'
import { withAudit } from './audited.ts'
import { UsageError } from './errors.ts'
import { isoTime, jsonText, type ListFormat, table } from './list-format.ts'
import { requireTenant, type TenantOptions, withStores, withTenant } from './with-stores.ts'

/**
 * Cancels a tenant's task. A running service stops its work within ten seconds, and calls its webhook.
 * @throws UsageError when the tenant has no task with that id
 */
export function cancelStoredTask(options: TenantOptions, tenant: string, id: string): Promise<string> {
  return withAudit(options, { action: 'cancelTask', tenant, id }, async (stores) => {
    await requireTenant(stores, options, tenant)
    const { tasks } = stores
    const cancellation = await tasks.cancel(tenant, id, CANCELLED)
    if (cancellation === undefined) throw noSuchTask(tenant, id)
    return cancellation.cancelled ? `Task ${id} is cancelled.\n` : `Task ${id} had ended before.\n`
  })
}

/**
 * Runs the request of a failed task once more, as a new task: the state of the failed one is final. A running service
 * starts it as its other tasks, and calls the webhook of the request with the new id.
 * @throws UsageError when the tenant has no such task, the task has not failed, or its request is not stored
 */
export function retryTask(options: TenantOptions, tenant: string, id: string): Promise<string> {
  return withAudit(options, { action: 'retryTask', tenant, id }, async (stores, about) => {
    await requireTenant(stores, options, tenant)
    const task = await stores.tasks.find(tenant, id)
    if (task === undefined) throw noSuchTask(tenant, id)
    if (task.status !== 'FAILED') throw new UsageError(`Task ${id} has not failed: it is ${task.status}`)
    const retried = await stores.tasks.retry(tenant, id, newId('task'))
    if (retried === undefined) {
      const why =
        'a cancelled task and a stream have none, and a request is retried once, within --failed-request-hours'
      throw new UsageError(`No request of task ${id} is stored: ${why}`)
    }
    about({ id: retried.id })
    return `Task ${id} runs again as ${retried.id}.\n`
  })
}

function noSuchTask(tenant: string, id: string): UsageError {
  return new UsageError(`${tenant} has no task ${id}: tasks list ${tenant} shows the ids`)
}

/** Lists a tenant's tasks, the newest first. */
export function listTasks(
  options: TenantOptions,
  tenant: string,
  { json = false, ...query }: ListFormat & TaskQuery,
): Promise<string> {
  return withTenant(options, tenant, async ({ tasks }) => {
    const found = await tasks.list(tenant, query)
    if (json) return jsonText({ tasks: found.map(viewTask) })
    if (found.length === 0) return `${tenant} has no such tasks.\n`
    return table(
      found.map(({ id, kind, status, createdAt, updatedAt, error }) => [
        id,
        kind,
        status,
        `made ${isoTime(createdAt)}`,
        `changed ${isoTime(updatedAt)}`,
        error?.code ?? '',
      ]),
    )
  })
}

/** Shows a task as JSON. @throws UsageError when the tenant has no task with that id */
export function showTask(options: TenantOptions, tenant: string, id: string): Promise<string> {
  return withTenant(options, tenant, async ({ tasks, outbox }) => {
    const task = await tasks.find(tenant, id)
    if (task === undefined) throw noSuchTask(tenant, id)
    const webhook = await outbox.stateOf(id)
    const call =
      webhook === undefined
        ? {}
        : { webhook: { status: webhook.status, attempts: webhook.attempts, outcome: webhook.lastOutcome ?? null } }
    return jsonText({ ...viewTask(task), request_id: task.trace?.requestId ?? null, ...call })
  })
}

/** What operators see: no text and no transcript. */
function viewTask({ id, kind, status, model, createdAt, updatedAt, error }: StoredTask) {
  const times = { created_at: isoTime(createdAt), updated_at: isoTime(updatedAt) }
  return { id, kind, status, model, ...times, error: error ?? null }
}

/** Failed tasks are shown for this time, in milliseconds. */
const FAILED_MS = 24 * 3600 * 1000

/** Shows the queue of all tenants: what waits, runs and has failed. */
export function showQueue(options: ServiceOptions, { json = false }: ListFormat = {}): Promise<string> {
  return withStores(options, async ({ tasks, tenants }) => {
    const lines = await tasks.queue(Date.now() - FAILED_MS)
    const paused = await tenants.paused()
    if (json) return jsonText({ queue: lines.map((line) => viewLine(line, paused)) })
    if (lines.length === 0) return 'No task waits, runs, or has failed in the last 24 hours.\n'
    return table(
      lines.map((line) => [
        line.tenant,
        line.kind,
        `${line.isEstimated === true ? 'about ' : ''}${line.waiting} waiting`,
        `${line.running} running`,
        `${line.hasMoreFailed === true ? 'at least ' : ''}${line.failed} failed`,
        line.waiting === 0 ? '' : `oldest ${Math.round(line.oldestMs / 1000)} s, work of ${secondsOf(line)} s`,
        paused.has(line.tenant) ? 'paused' : '',
      ]),
    )
  })
}

function viewLine(line: QueueLine, paused: ReadonlySet<string>) {
  const { tenant, kind, waiting, running, failed, oldestMs } = line
  const amounts = { waiting, running, failed, oldest_seconds: Math.round(oldestMs / 1000) }
  const estimated = line.isEstimated === true ? { waiting_is_estimated: true } : {}
  const least = line.hasMoreFailed === true ? { failed_is_at_least: true } : {}
  return {
    tenant,
    kind,
    ...amounts,
    ...estimated,
    ...least,
    estimated_seconds: secondsOf(line),
    paused: paused.has(tenant),
  }
}

/** Estimated processor time of the waiting tasks, in seconds. */
function secondsOf({ cost }: QueueLine): number {
  return Math.ceil(cost / 1000)
}
