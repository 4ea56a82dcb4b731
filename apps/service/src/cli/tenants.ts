import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from '../domain/error-code.ts'
import type { Stores } from '../drivers/sql/stores.ts'
import type { CappedCount, TenantSummary } from '../ports/tenant-store.ts'
import type { ServiceOptions } from '../service-options.ts'
import { DRAIN } from '../use-cases/keys.ts'
import { withAudit } from './audited.ts'
import { UsageError } from './errors.ts'
import { jsonText, type ListFormat, table } from './list-format.ts'
import { ALWAYS, type Areas, AREAS, requireTenant, type TenantOptions, withObjects, withStores } from './with-stores.ts'

/** Lists all tenants with what the service stores of them. Tenants of the settings are among them. */
export function listTenants(options: TenantOptions, { json = false }: ListFormat = {}): Promise<string> {
  return withStores(options, async ({ tenants }) => {
    const stored = (await tenants.list()).filter(({ tenant }) => tenant !== DRAIN)
    const names = new Set(stored.map(({ tenant }) => tenant))
    const given = new Set([...(options.apiKeys?.values() ?? [])].filter((tenant) => !names.has(tenant)))
    const all = [...stored, ...[...given].map(withoutRows)].toSorted((a, b) => (a.tenant < b.tenant ? -1 : 1))
    if (json) return jsonText({ tenants: all.map(viewTenant) })
    if (all.length === 0) return 'There is no tenant: keys create makes one.\n'
    return table(
      all.map(({ tenant, keys, storedBytes, suspended, paused, ...counts }) => [
        tenant,
        `${keys} stored keys`,
        `${countText(counts, 'tasks')} tasks`,
        `${countText(counts, 'openTasks')} open`,
        `${countText(counts, 'files')} files`,
        `${countText(counts, 'voices')} voices`,
        `${storedBytes} bytes`,
        [suspended ? 'suspended' : '', paused ? 'paused' : ''].filter((word) => word !== '').join(', '),
      ]),
    )
  })
}

/** A count of a tenant, with a mark if it is larger. */
function countText(counts: Pick<TenantSummary, CappedCount | 'atLeast'>, name: CappedCount): string {
  return counts.atLeast?.includes(name) === true ? `over ${counts[name]}` : String(counts[name])
}

function withoutRows(tenant: string): TenantSummary {
  const none = { keys: 0, openTasks: 0, tasks: 0, files: 0, voices: 0, storedBytes: 0 }
  return { tenant, ...none, suspended: false, paused: false }
}

function viewTenant({ openTasks, storedBytes, keys, atLeast, ...same }: TenantSummary) {
  const more =
    atLeast === undefined ? {} : { at_least: atLeast.map((name) => (name === 'openTasks' ? 'open_tasks' : name)) }
  return { ...same, stored_keys: keys, open_tasks: openTasks, stored_bytes: storedBytes, ...more }
}

/** Refuses the requests of a tenant. */
export function suspendTenant(options: TenantOptions, tenant: string): Promise<string> {
  return withAudit(options, { action: 'suspendTenant', tenant }, async (stores) => {
    await requireTenant(stores, options, tenant)
    await stores.keys.suspend(tenant, true)
    return `The service refuses requests of ${tenant} within a second.\n`
  })
}

/** Leaves the accepted tasks of a tenant in the queue. */
export function pauseTenant(options: TenantOptions, tenant: string): Promise<string> {
  return withAudit(options, { action: 'pauseTenant', tenant }, async (stores) => {
    await requireTenant(stores, options, tenant)
    await stores.tenants.pause(tenant, true)
    return `The service starts no task of ${tenant}. Running tasks end.\n`
  })
}

/** Ends a suspension and a pause. */
export function resumeTenant(options: TenantOptions, tenant: string): Promise<string> {
  return withAudit(options, { action: 'resumeTenant', tenant }, async (stores) => {
    await requireTenant(stores, options, tenant)
    await stores.keys.suspend(tenant, false)
    await stores.tenants.pause(tenant, false)
    return `The service accepts requests of ${tenant} within a second, and runs its tasks.\n`
  })
}

/** Time in which every process knows a suspension and stores its usage, in milliseconds. */
const SETTLE_MS = 3000

/** Passes over a tenant that still stores: an upload in flight. */
const MOST_PASSES = 20

/**
 * Deletes everything of a tenant, also while a service runs: its requests are refused first. Records of the audit log
 * stay, with one of the deletion. A deletion that fails in the middle leaves the tenant suspended; it can be repeated.
 * @param confirm Called with a summary before anything is deleted. Throws to stop.
 * @throws UsageError for an unknown tenant and for one with a key in the settings; what `confirm` throws
 */
export async function deleteTenant(
  options: ServiceOptions,
  tenant: string,
  confirm: (question: string) => Promise<void>,
): Promise<string> {
  if ([...(options.apiKeys?.values() ?? [])].includes(tenant)) {
    throw new UsageError(`${tenant} has a key in SVC_AUDIO_API_KEYS: remove it, and restart the service without it`)
  }
  const summary = await withStores(options, async (stores) => {
    await requireTenant(stores, options, tenant)
    return (await stores.tenants.list()).find((one) => one.tenant === tenant)
  })
  const stored = summary ?? withoutRows(tenant)
  const { keys, storedBytes } = stored
  const [tasks, files, voices] = (['tasks', 'files', 'voices'] as const).map((name) => countText(stored, name))
  const contents = `${keys} keys, ${tasks} tasks, ${files} files, ${voices} voices, ${storedBytes} bytes`
  await confirm(`${tenant} has ${contents}.`)
  return withAudit(options, { action: 'deleteTenant', tenant }, (stores) =>
    // The objects are opened first: without them, nothing is deleted.
    withObjects(options, stores, async (areas) => {
      await stores.keys.suspend(tenant, true)
      for (let pass = 1; pass <= MOST_PASSES; pass += 1) {
        const found = await deletePass(stores, areas, tenant)
        if (found === 0 && pass > 1) {
          await stores.tenants.forget(tenant)
          return `${tenant} is deleted: ${contents}. The audit log keeps its records.\n`
        }
        await sleep(SETTLE_MS)
      }
      throw new UsageError(`${tenant} still stores something: it stays suspended, run the command again`)
    }),
  )
}

/** @returns The number of rows and objects */
async function deletePass(stores: Stores, areas: Areas, tenant: string): Promise<number> {
  let count = 0
  for (let rows = -1; rows !== 0; count += rows) rows = await stores.tenants.deleteRows(tenant)
  const entries = await stores.ledger.entriesOf(tenant)
  const known = new Set<string>(AREAS)
  for (const { area, name } of entries.filter((entry) => known.has(entry.area))) await areas[area].delete(name)
  return count + entries.length
}

/**
 * Makes a question whose answer is a name, typed in full.
 * @param yes Whether the operator has answered with `--yes`.
 * @returns Asks on standard error, so that standard output has only the result. Throws a UsageError for any other
 * answer, and without a terminal.
 */
export function confirmation(
  name: string,
  { yes, input = process.stdin, output = process.stderr }: ConfirmationOptions,
): (question: string) => Promise<void> {
  return async (question) => {
    if (yes) return
    if (!input.isTTY) throw new UsageError(`${question} Add --yes to delete without a question`)
    const lines = createInterface({ input, output })
    try {
      const typed = await lines.question(`${question} Type ${name} to delete it for good: `)
      if (typed.trim() !== name) throw new UsageError('Nothing was deleted')
    } finally {
      lines.close()
    }
  }
}

/** Options of {@link confirmation}. */
export interface ConfirmationOptions {
  readonly yes: boolean
  /** @default standard input */
  readonly input?: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  /** @default standard error */
  readonly output?: NodeJS.WritableStream
}

/**
 * Deletes a tenant's own voice. A running service answers 404 for it from the next request on.
 * @throws UsageError when the tenant has no voice with that id
 */
export function deleteVoice(options: TenantOptions, tenant: string, id: string): Promise<string> {
  return withAudit(options, { action: 'deleteVoice', tenant, id }, async (stores) => {
    const { voices } = stores
    await requireTenant(stores, options, tenant)
    if (await voices.delete(tenant, id)) return `Voice ${id} is deleted.\n`
    throw new UsageError(`${tenant} has no voice ${id} of its own`)
  })
}

/** Above the number of rows of any tenant. */
const ALL = 1_000_000_000

/** Audit records of a page. */
const PAGE = 1000

/**
 * Copies what the service stores of a tenant into a new or empty folder, also while a service runs: `tenant.json` with
 * files, voices, tasks, results and usage, `audit.jsonl`, and `objects` with the bytes. No keys, secrets, texts of waiting
 * tasks or stored responses of idempotency keys.
 * @throws UsageError for an unknown tenant and for a folder that is not empty. A failed export leaves nothing behind.
 */
export function exportTenant(options: ServiceOptions, tenant: string, folder: string): Promise<string> {
  return withAudit(options, { action: 'exportTenant', tenant }, async (stores) => {
    await requireTenant(stores, options, tenant)
    return withObjects(options, stores, async (areas) => {
      const isNew = await makeEmpty(folder)
      try {
        const rows = await writeRows(stores, tenant, folder)
        const objects = await copyObjects(stores, areas, { tenant, folder })
        const { files, voices, tasks } = rows
        return `${tenant} is exported into ${folder}: ${files} files, ${voices} voices, ${tasks} tasks, ${objects} objects.\n`
      } catch (error) {
        for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true })
        if (isNew) await rm(folder, { recursive: true })
        throw error
      }
    })
  })
}

/** @returns Whether the folder is new */
async function makeEmpty(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined
    throw new UsageError(`${folder} cannot be read as a folder (${errorCode(error) ?? 'unknown'})`, { cause: error })
  })
  if (names !== undefined && names.length > 0) throw new UsageError(`${folder} is not empty. Choose a new folder`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return names === undefined
}

async function writeRows(
  { files, voices, tasks, usage, audit }: Stores,
  tenant: string,
  folder: string,
): Promise<{ readonly files: number; readonly voices: number; readonly tasks: number }> {
  const rows = {
    tenant,
    files: await files.list(tenant, { limit: ALL, offset: 0 }),
    voices: await voices.list(tenant, { limit: ALL }),
    tasks: await tasks.list(tenant, { limit: ALL }),
    usage: await usage.read({ ...ALWAYS, tenant }),
  }
  await writeFile(join(folder, 'tenant.json'), jsonText(rows), { mode: 0o600, flag: 'wx' })
  const path = join(folder, 'audit.jsonl')
  await writeFile(path, '', { mode: 0o600, flag: 'wx' })
  for (let after = 0; ;) {
    const page = await audit.read({ tenant }, after, PAGE)
    const lines = page.map(({ record }) => `${JSON.stringify(record)}\n`)
    await writeFile(path, lines.join(''), { flag: 'a' })
    const last = page.at(-1)
    if (last === undefined) break
    after = last.sequence
  }
  return { files: rows.files.length, voices: rows.voices.length, tasks: rows.tasks.length }
}

/** @returns The number of objects. Those that are deleted in the meantime are left out. */
async function copyObjects(
  { ledger }: Pick<Stores, 'ledger'>,
  areas: Areas,
  { tenant, folder }: { readonly tenant: string; readonly folder: string },
): Promise<number> {
  let count = 0
  for (const area of AREAS) await mkdir(join(folder, 'objects', area), { recursive: true, mode: 0o700 })
  for (const { area, name } of await ledger.entriesOf(tenant)) {
    const object = await areas[area].open(name)
    if (object === undefined) continue
    const target = createWriteStream(join(folder, 'objects', area, name), { mode: 0o600, flags: 'wx' })
    await pipeline(object.stream, target)
    count += 1
  }
  return count
}
