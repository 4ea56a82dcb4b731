import type { EngineUsage } from '../../domain/usage.ts'
import type { EngineClient, EngineUse, EngineUseListener, UsedEngine } from '../../ports/engine-state.ts'
import type { UsageNotes } from '../../ports/usage-store.ts'
import type { AuditTrail } from '../audit-trail.ts'

/** Passes on what the engines of the file do. Listeners come later than the engines. */
export class EngineUses implements EngineUseListener {
  readonly #listeners: EngineUseListener[] = []

  /** Adds a listener for the life of the service. */
  add(listener: EngineUseListener): void {
    this.#listeners.push(listener)
  }

  begun(used: UsedEngine, client: EngineClient): void {
    for (const listener of this.#listeners) listener.begun(used, client)
  }

  ended(use: EngineUse): void {
    for (const listener of this.#listeners) listener.ended(use)
  }
}

/**
 * Counts the work of each engine for each tenant: every call, also those of attempts that failed and of repeated
 * requests, because a server bills them too.
 */
export function countEngineUses(usage: UsageNotes): EngineUseListener {
  return {
    begun: () => undefined,
    ended({ engine, port, client, failed, characters, seconds }) {
      const kind: EngineUsage = `${port}@${engine}`
      const milliseconds = Math.round(seconds * 1000)
      usage.note(client.tenant, kind, {
        requests: 1,
        ...(failed ? { failed: 1 } : {}),
        ...(port === 'speech' ? { characters } : {}),
        ...(port === 'speech' ? { speechMs: milliseconds } : { recordingMs: milliseconds }),
      })
    },
  }
}

/** Records in the audit log which engine receives a text or a recording: one record for each piece of work and engine. */
export function auditEngineUses(audit: Pick<AuditTrail, 'note'>): EngineUseListener {
  const noted = new WeakMap<EngineClient, Set<string>>()
  return {
    begun({ engine, port }, client) {
      const before = noted.get(client)
      const name = `${port}@${engine}`
      if (before?.has(name) === true) return
      if (before === undefined) noted.set(client, new Set([name]))
      else before.add(name)
      const { tenant, id } = client
      audit.note({ action: 'useEngine', outcome: 'begun', tenant, ...(id === undefined ? {} : { id }), engine: name })
    },
    ended: () => undefined,
  }
}
