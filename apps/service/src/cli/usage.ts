import {
  addAmounts,
  type EngineUsage,
  isEngineUsage,
  NO_USAGE,
  type UsageAmounts,
  type UsageRow,
} from '../domain/usage.ts'
import { requireTenant, type TenantOptions, withStores } from './with-stores.ts'

/** What the command `usage` selects. Both days are included. */
export interface UsageSelection {
  /** @default all tenants */
  readonly tenant: string | undefined
  readonly from: string
  readonly to: string
  /** Whether the output is JSON. */
  readonly json: boolean
}

/** Returns the usage of tenants by day and kind, with a total of each tenant, as a table or as JSON. */
export function readUsage(options: TenantOptions, { json, ...selection }: UsageSelection): Promise<string> {
  return withStores(options, async (stores) => {
    const { usage, ledger } = stores
    if (selection.tenant !== undefined) await requireTenant(stores, options, selection.tenant)
    const rows = await usage.read(selection)
    const tenants = [...new Set(rows.map(({ tenant }) => tenant))].toSorted()
    if (!json) return rows.length === 0 ? 'No usage in these days.\n' : tableOf(rows, tenants)
    const reports = tenants.map(async (tenant) => {
      const own = rows.filter((row) => row.tenant === tenant)
      const days = own.flatMap(({ day, kind, ...amounts }) =>
        isEngineUsage(kind) ? [] : [{ day, kind, ...viewAmounts(amounts) }],
      )
      const engines = own.flatMap(({ day, kind, ...amounts }) =>
        isEngineUsage(kind) ? [{ day, ...engineOf(kind), ...viewCalls(amounts) }] : [],
      )
      const total = viewAmounts(totalOf(own))
      return { tenant, stored_bytes_now: await ledger.bytesOf(tenant), total, days, engines }
    })
    const { from, to } = selection
    return `${JSON.stringify({ from, to, tenants: await Promise.all(reports) }, undefined, 2)}\n`
  })
}

/** Adds all rows but those of engines: their work is that of the other kinds. */
function totalOf(rows: readonly UsageRow[]): UsageAmounts {
  return rows
    .filter(({ kind }) => !isEngineUsage(kind))
    .reduce<UsageAmounts>((sum, row) => addAmounts(sum, row), NO_USAGE)
}

/** The engine and the work of its kind of usage. */
function engineOf(kind: EngineUsage): { readonly engine: string; readonly work: string } {
  const [work = '', engine = ''] = kind.split('@')
  return { engine, work }
}

/** The amounts of an engine as the output names them. */
function viewCalls({ requests, failed, characters, speechMs, recordingMs }: UsageAmounts) {
  return {
    calls: requests,
    failed,
    characters,
    speech_seconds: speechMs / 1000,
    recording_seconds: recordingMs / 1000,
  }
}

/** The amounts as the output names them, with lengths in seconds. */
function viewAmounts(amounts: UsageAmounts) {
  return {
    requests: amounts.requests,
    tasks_succeeded: amounts.succeeded,
    tasks_failed: amounts.failed,
    characters: amounts.characters,
    speech_seconds: amounts.speechMs / 1000,
    recording_seconds: amounts.recordingMs / 1000,
    stored_bytes: amounts.storedBytes,
  }
}

function tableOf(rows: readonly UsageRow[], tenants: readonly string[]): string {
  const head = ['day', 'tenant', 'kind', ...Object.keys(viewAmounts(NO_USAGE))]
  const line = (first: readonly string[], amounts: UsageAmounts): string[] => [
    ...first,
    ...Object.values(viewAmounts(amounts)).map(String),
  ]
  const totals = tenants.map((tenant) =>
    line(['total', tenant, ''], totalOf(rows.filter((row) => row.tenant === tenant))),
  )
  const lines = [head, ...rows.map((row) => line([row.day, row.tenant, row.kind], row)), ...totals]
  const widths = head.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)))
  // Numbers are aligned on the right, so that they compare at a glance.
  const cell = (text: string, column: number): string =>
    column < TEXT_COLUMNS ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0)
  return lines.map((cells) => `${cells.map(cell).join('  ').trimEnd()}\n`).join('')
}

/** Day, tenant and kind. */
const TEXT_COLUMNS = 3
