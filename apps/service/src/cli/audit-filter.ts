import type { AuditFilter } from '../ports/audit-store.ts'
import { type CommandFlag, TENANT_FLAG, tenantName } from './command-spec.ts'
import { UsageError } from './usage-error.ts'

/** Options of the command `audit`. */
export const AUDIT_FLAGS: readonly CommandFlag[] = [
  TENANT_FLAG,
  { name: 'action', value: '<action>', meaning: 'only this action, as the log names it' },
  { name: 'since', value: '<time>', meaning: 'only from this date or time in UTC, as 2026-01-31T18:30' },
  { name: 'until', value: '<time>', meaning: 'only before this date or time' },
]

/** A date, or a date and a time, as ISO 8601 writes them. Without an offset it is UTC. */
const TIME = /^(?<date>\d{4}-\d\d-\d\d)(?:[T ](?<time>\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(?<zone>Z|[+-]\d\d:\d\d)?)?$/

/**
 * Reads the filter of the command `audit`.
 * @param flags Options of the command line, by name without dashes.
 * @throws UsageError naming the option
 */
export function readAuditFilter(flags: Readonly<Record<string, string | boolean | undefined>>): AuditFilter {
  const given = (name: string): string | undefined => {
    const value = flags[name]
    return typeof value === 'string' ? value : undefined
  }
  const [tenant, action, since, until] = ['tenant', 'action', 'since', 'until'].map(given)
  return {
    ...(tenant === undefined ? {} : { tenant: tenantName(tenant) }),
    ...(action === undefined ? {} : { action }),
    ...(since === undefined ? {} : { since: timeOf('since', since) }),
    ...(until === undefined ? {} : { until: timeOf('until', until) }),
  }
}

function timeOf(name: string, text: string): number {
  const { date, time = '00:00', zone = 'Z' } = TIME.exec(text)?.groups ?? {}
  const milliseconds = Date.parse(`${date}T${time}${zone}`)
  if (date !== undefined && !Number.isNaN(milliseconds)) return milliseconds
  const shown = JSON.stringify(text.slice(0, 100))
  throw new UsageError(`--${name} must be a date or a time in UTC, as 2026-01-31 or 2026-01-31T18:30, got ${shown}`)
}
