import { dayOf } from '../domain/usage.ts'
import type { ServiceOptions } from '../service-options.ts'
import { tenantName } from './operator-command.ts'
import { UsageError } from './usage-error.ts'
import type { UsageSelection } from './usage.ts'

/** The command `usage`. */
export interface UsageCommand extends UsageSelection {
  readonly name: 'usage'
  readonly options: ServiceOptions
}

/** The options of the command beside `--tenant`, as `parseArgs` takes them. */
export const USAGE_FLAGS = {
  from: { type: 'string' },
  to: { type: 'string' },
  json: { type: 'boolean' },
} as const

/** The options of the command line, by name without dashes. */
export type UsageValues = Readonly<Record<string, string | boolean | undefined>>

/**
 * Reads the command `usage`. Without days, it is the current month in UTC.
 * @param now Milliseconds since 1970. @default the clock of the system
 * @throws UsageError naming the option
 */
export function readUsageCommand(
  rest: readonly string[],
  values: UsageValues,
  options: ServiceOptions,
  now: number = Date.now(),
): UsageCommand {
  const { tenant, from, to, json } = values
  const other = ['action', 'since', 'until'].find((flag) => values[flag] !== undefined)
  if (other !== undefined) throw new UsageError(`--${other} is no option of the command usage (see --help)`)
  if (rest.length > 0) throw new UsageError('usage takes no arguments, but --tenant, --from, --to and --json')
  const last = readDay('--to', to) ?? dayOf(now)
  const first = readDay('--from', from) ?? `${last.slice(0, 7)}-01`
  if (first > last) throw new UsageError(`--from ${first} must not be after --to ${last}`)
  return {
    name: 'usage',
    tenant: typeof tenant === 'string' ? tenantName(tenant) : undefined,
    from: first,
    to: last,
    json: json === true,
    options,
  }
}

/** Refuses the options of `usage` with another command. @throws UsageError naming the option */
export function refuseUsageFlags(values: UsageValues): void {
  const given = Object.keys(USAGE_FLAGS).find((flag) => values[flag] !== undefined)
  if (given !== undefined) throw new UsageError(`--${given} belongs to the command usage (see --help)`)
}

function readDay(option: string, text: string | boolean | undefined): string | undefined {
  if (typeof text !== 'string') return undefined
  const time = Date.parse(`${text}T00:00:00Z`)
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(time)
  // A day such as February 30 is read as March 2.
  if (isDay && new Date(time).toISOString().startsWith(text)) return text
  throw new UsageError(`${option} must be a day as 2026-11-22, got ${text}`)
}
