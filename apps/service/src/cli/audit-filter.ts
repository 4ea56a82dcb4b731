import type { AuditFilter } from '../ports/audit-store.ts'
import { tenantName } from './operator-command.ts'
import { UsageError } from './usage-error.ts'

/** Options of the command `audit`, without dashes. */
export const AUDIT_FILTERS = ['tenant', 'action', 'since', 'until'] as const

/** A date, or a date and a time, as ISO 8601 writes them. Without an offset it is UTC. */
const TIME = /^(?<date>\d{4}-\d\d-\d\d)(?:[T ](?<time>\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(?<zone>Z|[+-]\d\d:\d\d)?)?$/

/**
 * Reads the filter of the command `audit`.
 * @param flags Options of the command line, by name without dashes.
 * @param allowed Whether the command is `audit`.
 * @throws UsageError naming the option
 */
export function readAuditFilter(
  flags: Readonly<Record<string, string | boolean | undefined>>,
  allowed: boolean,
): AuditFilter {
  const given = (name: (typeof AUDIT_FILTERS)[number]): string | undefined => {
    const value = flags[name]
    if (typeof value !== 'string') return undefined
    if (allowed) return value
    throw new UsageError(`--${name} is an option of the command audit${name === 'tenant' ? ' and usage' : ''}`)
  }
  const [tenant, action, since, until] = AUDIT_FILTERS.map(given)
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
  throw new UsageError(`--${name} must be a date or a time in UTC, as 2026-01-31 or 2026-01-31T18:30, not ${shown}`)
}
