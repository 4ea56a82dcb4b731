import { dayOf } from '../domain/usage.ts'
import { type CommandFlag, JSON_FLAG, TENANT_FLAG, tenantName } from './command-spec.ts'
import { UsageError } from './usage-error.ts'
import type { UsageSelection } from './usage.ts'

/** The options of the command `usage`. */
export const USAGE_FLAGS: readonly CommandFlag[] = [
  TENANT_FLAG,
  { name: 'from', value: '<day>', meaning: 'first day in UTC, as 2026-11-01' },
  { name: 'to', value: '<day>', meaning: 'last day in UTC' },
  { ...JSON_FLAG, meaning: 'prints JSON, with the bytes that a tenant stores now' },
]

/** The options of the command line, by name without dashes. */
export type UsageValues = Readonly<Record<string, string | boolean | undefined>>

/**
 * Reads the options of `usage`. Without days, it is the current month in UTC.
 * @param now Milliseconds since 1970. @default the clock of the system
 * @throws UsageError naming the option
 */
export function readUsageCommand(values: UsageValues, now: number = Date.now()): UsageSelection {
  const { tenant, from, to, json } = values
  const last = readDay('--to', to) ?? dayOf(now)
  const first = readDay('--from', from) ?? `${last.slice(0, 7)}-01`
  if (first > last) throw new UsageError(`--from ${first} must not be after --to ${last}`)
  return {
    tenant: typeof tenant === 'string' ? tenantName(tenant) : undefined,
    from: first,
    to: last,
    json: json === true,
  }
}

function readDay(option: string, text: string | boolean | undefined): string | undefined {
  if (typeof text !== 'string') return undefined
  const time = Date.parse(`${text}T00:00:00Z`)
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(time)
  // A day such as February 30 is read as March 2.
  if (isDay && new Date(time).toISOString().startsWith(text)) return text
  throw new UsageError(`${option} must be a day as 2026-11-22, got ${text}`)
}
