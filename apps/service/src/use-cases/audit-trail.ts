import type { Clock } from '../domain/clock.ts'
import type { EngineClient, EngineHooks } from '../ports/engines.ts'
import type { AuditRecord, AuditStore } from '../ports/audit-store.ts'
import type { Log } from '../services.ts'

/** Time until a record is written, in milliseconds. Many are then written at once. */
const WRITE_MS = 500
/** Time until a failed write is retried, in milliseconds. */
const RETRY_MS = 5000
/** Time in which equal refusals become one record, in milliseconds. */
const COUNT_MS = 60_000
/** Maximum records that wait to be written: about 5 MB. */
const MOST_WAITING = 10_000
/** Maximum different refusals that are counted in a minute. */
const MOST_COUNTED = 200
/** Records of one write. */
const AT_ONCE = 1000

/** Methods of the requests in the audit log: each makes, deletes or cancels something. */
export const CHANGING_METHODS: ReadonlySet<unknown> = new Set(['POST', 'DELETE'])

/** Acts of the service, beside the `operationId` of each request that changes something. */
export const SERVICE_ACTIONS = ['authenticate', 'dropRecords', 'startService', 'stopService', 'useEngine'] as const

/** What a client or the service did, or tried. */
export type Act = Omit<AuditRecord, 'at' | 'actor'>

/** Parts of the service that {@link AuditTrail} needs. */
export interface AuditParts {
  readonly audit: Pick<AuditStore, 'append'>
  readonly clock: Clock
  readonly log: Log
}

/**
 * Collects what clients do, and writes it to the audit log a moment later. Requests never wait for it. Equal refusals
 * become one record for each minute, so that a client that repeats them does not push other records out.
 */
export class AuditTrail {
  readonly #parts: AuditParts
  #waiting: AuditRecord[] = []
  #counted = new Map<string, AuditRecord>()
  #dropped = 0
  #failing = false
  #cancelWrite: (() => void) | undefined
  #cancelCount: (() => void) | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(parts: AuditParts) {
    this.#parts = parts
  }

  /** Records an act. Refusals and failures are counted instead. */
  note(act: Act): void {
    const record: AuditRecord = { at: this.#parts.clock.now(), actor: 'client', ...act }
    if (act.outcome === 'refused' || act.outcome === 'failed') this.#count(record)
    else this.#add(record)
  }

  /** Records an act of the service itself. Resolves when it is on the disk, or cannot be written. */
  async noteOwn(act: Act): Promise<void> {
    this.#add({ at: this.#parts.clock.now(), actor: 'service', ...act })
    await this.#write()
  }

  /** Writes everything, with the counts of the current minute. */
  async flush(): Promise<void> {
    this.#endCount()
    await this.#write()
    this.#cancelWrite?.()
    this.#cancelWrite = undefined
  }

  #add(record: AuditRecord): void {
    if (this.#waiting.length >= MOST_WAITING) {
      this.#dropped += 1
      return
    }
    this.#waiting.push(record)
    this.#plan(WRITE_MS)
  }

  #count(record: AuditRecord): void {
    const { at, actor, action, outcome, status, tenant, key, address } = record
    const own = JSON.stringify([action, status, tenant, key, address])
    const counts = this.#counted.has(own) || this.#counted.size < MOST_COUNTED
    const name = counts ? own : JSON.stringify([action, status])
    const before = this.#counted.get(name)
    if (before === undefined) this.#counted.set(name, counts ? record : { at, actor, action, outcome, status })
    // The id of one request would say nothing about the others.
    else this.#counted.set(name, { ...before, count: (before.count ?? 1) + 1, request: undefined })
    this.#cancelCount ??= this.#parts.clock.setTimer(COUNT_MS, () => this.#endCount())
  }

  #endCount(): void {
    this.#cancelCount?.()
    this.#cancelCount = undefined
    const counted = [...this.#counted.values()]
    this.#counted = new Map()
    for (const record of counted) this.#add(record)
  }

  #plan(milliseconds: number): void {
    this.#cancelWrite ??= this.#parts.clock.setTimer(milliseconds, () => {
      this.#cancelWrite = undefined
      void this.#write()
    })
  }

  #write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeWaiting())
    return this.#writing
  }

  async #writeWaiting(): Promise<void> {
    const { audit, clock, log } = this.#parts
    while (this.#waiting.length > 0) {
      const records = this.#waiting.slice(0, AT_ONCE)
      const dropped = this.#dropped
      const gap: AuditRecord = { at: clock.now(), actor: 'service', action: 'dropRecords', outcome: 'failed' }
      try {
        await audit.append(dropped === 0 ? records : [...records, { ...gap, count: dropped }])
      } catch (error) {
        if (!this.#failing) log.error({ err: error }, 'the audit log cannot be written; its records wait')
        this.#failing = true
        this.#plan(RETRY_MS)
        return
      }
      this.#failing = false
      this.#dropped -= dropped
      this.#waiting.splice(0, records.length)
    }
  }
}

/** Records in the audit log which engine receives a text or a recording: one record for each piece of work and engine. */
export function auditEngineUses(audit: Pick<AuditTrail, 'note'>): EngineHooks {
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
  }
}
