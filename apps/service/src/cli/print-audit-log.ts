import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ENDPOINTS } from '../endpoints/index.ts'
import type { AuditFilter, AuditRecord, AuditStore } from '../ports/audit-store.ts'
import { CHANGING_METHODS, SERVICE_ACTIONS } from '../use-cases/audit-trail.ts'
import { OPERATOR_ACTIONS } from './audited.ts'
import { UsageError } from './errors.ts'
import { requireTenant, type TenantOptions, withStores } from './with-stores.ts'

/** Records of one query. */
const PAGE = 1000

/** Every action of the audit log, in the order of the alphabet. */
export function listActions(): string[] {
  const requests = ENDPOINTS.flatMap(({ method, operationId }) => (CHANGING_METHODS.has(method) ? [operationId] : []))
  return [...new Set([...requests, ...OPERATOR_ACTIONS, ...SERVICE_ACTIONS])].toSorted()
}

/**
 * Prints the audit log, the oldest record first, as JSON lines. It reads on as its reader takes them, and ends when its
 * reader closes, as `head` does.
 * @throws UsageError for an unknown action, and for a tenant that neither the log nor a store names
 */
export async function printAuditLog(options: TenantOptions, filter: AuditFilter, to: Writable): Promise<void> {
  const { action } = filter
  if (action !== undefined && !listActions().includes(action)) {
    throw new UsageError(`--action must be one of ${listActions().join(', ')}, got ${JSON.stringify(action)}`)
  }
  await withStores(options, async (stores) => {
    const { audit } = stores
    const { tenant } = filter
    // The log names deleted tenants too.
    const isNamed = tenant === undefined || (await audit.read({ tenant }, 0, 1)).length > 0
    if (!isNamed) await requireTenant(stores, options, tenant)
    try {
      await pipeline(linesOf(audit, filter), to, { end: false })
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && CLOSED.has(error.code))) throw error
    }
  })
}

/** Errors of a pipe whose reader has closed. */
const CLOSED: ReadonlySet<unknown> = new Set(['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'])

async function* linesOf(audit: AuditStore, filter: AuditFilter): AsyncGenerator<string, void, undefined> {
  for (let after = 0; ;) {
    const page = await audit.read(filter, after, PAGE)
    const last = page.at(-1)
    if (last === undefined) return
    yield page.map(({ record }) => auditLine(record)).join('')
    after = last.sequence
  }
}

/** Formats a record as one line of JSON. */
export function auditLine({ at, action, actor, outcome, ...details }: AuditRecord): string {
  return `${JSON.stringify({ time: new Date(at).toISOString(), action, actor, outcome, ...details })}\n`
}
