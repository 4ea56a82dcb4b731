import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { errorCode } from '../domain/error-code.ts'
import type { Stores } from '../drivers/sql/stores.ts'
import type { ServiceOptions } from '../service-options.ts'
import { withAudit } from './audited.ts'
import { ALWAYS, requireTenant } from './known-tenant.ts'
import { jsonText } from './list-format.ts'
import { UsageError } from './usage-error.ts'
import { type Areas, AREAS, withObjects } from './with-objects.ts'

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
