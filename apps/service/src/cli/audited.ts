import { randomUUID } from 'node:crypto'
import { hostname, userInfo } from 'node:os'
import { wallClockNow } from '../domain/clock.ts'
import type { Stores } from '../drivers/sql/stores.ts'
import type { AuditOutcome, AuditRecord, AuditStore } from '../ports/audit-store.ts'
import { type StoreOptions, withStores } from './with-stores.ts'

/** Acts of commands, as in the audit log. */
export const OPERATOR_ACTIONS = [
  'createKey',
  'rotateKey',
  'deleteKey',
  'showWebhookSecret',
  'rotateWebhookSecret',
  'rotateLinks',
  'suspendTenant',
  'resumeTenant',
  'beginDrain',
  'endDrain',
  'pauseTenant',
  'deleteTenant',
  'exportTenant',
  'deleteVoice',
  'cancelTask',
  'retryTask',
  'deleteFile',
  'backup',
  'restore',
  'deleteOrphans',
  'acceptDatabase',
  'resetSecrets',
  'migrate',
  'import',
] as const

/** What a command does, and to whom. */
export interface CommandAct {
  readonly action: (typeof OPERATOR_ACTIONS)[number]
  readonly tenant?: string
  /** Id that the operator has typed. */
  readonly id?: string
}

/** Adds what a command finds out while it acts. */
export type AboutAct = (found: Pick<AuditRecord, 'tenant' | 'id'>) => void

/** Ids as the service makes them. A key or a text that was typed instead of an id is not recorded. */
const ID = /^(?:[\da-f]{12}|(?:task|voice|file)_[\da-f]{32})$/

/**
 * Acts on the stores with two records in the audit log: one on the disk before the act, and one with its outcome. A
 * crash in between leaves the first.
 * @throws What the act throws
 */
export function withAudit<T>(
  options: StoreOptions,
  command: CommandAct,
  act: (stores: Stores, about: AboutAct) => Promise<T>,
  opening: { readonly make?: boolean } = {},
): Promise<T> {
  return withStores(options, (stores) => audited(stores.audit, command, (about) => act(stores, about)), opening)
}

/** As {@link withAudit}, with an audit log that is already open. */
export async function audited<T>(
  audit: AuditStore,
  { action, tenant, id }: CommandAct,
  act: (about: AboutAct) => Promise<T>,
): Promise<T> {
  const typed = id !== undefined && ID.test(id) ? { id } : {}
  let known: Pick<AuditRecord, 'tenant' | 'id'> = { ...(tenant === undefined ? {} : { tenant }), ...typed }
  const request = randomUUID()
  const note = (outcome: AuditOutcome): Promise<void> =>
    audit.append([{ ...operatorRecord(action, outcome), ...known, request }])
  await note('begun')
  let result: T
  try {
    result = await act((found) => {
      known = { ...known, ...found }
    })
  } catch (error) {
    // The cause of the failure counts, not that of a second one.
    await note('failed').catch(() => undefined)
    throw error
  }
  await note('done')
  return result
}

/** Makes the record of a command's act. */
export function operatorRecord(action: CommandAct['action'], outcome: AuditOutcome): AuditRecord {
  return { at: wallClockNow(), actor: 'operator', action, outcome, user: userName(), machine: hostname() }
}

/** The user of the system. A container may have none by name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}
