import { dayOf } from '../../domain/usage.ts'
import type { AuditFilter } from '../../ports/audit-store.ts'
import {
  type CommandFlag,
  type CommandSpec,
  JSON_FLAG,
  takesNothing,
  TENANT_FLAG,
  tenantName,
} from '../command-spec.ts'
import { UsageError } from '../errors.ts'
import type { UsageSelection } from '../usage.ts'

/** The options of the command `usage`. */
const USAGE_FLAGS: readonly CommandFlag[] = [
  TENANT_FLAG,
  { name: 'from', value: '<day>', meaning: 'first day in UTC, as 2026-11-01' },
  { name: 'to', value: '<day>', meaning: 'last day in UTC' },
  { ...JSON_FLAG, meaning: 'prints JSON, with the bytes that a tenant stores now' },
]

/** The options of the command line, by name without dashes. */
type UsageValues = Readonly<Record<string, string | boolean | undefined>>

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

/** Options of the command `audit`. */
const AUDIT_FLAGS: readonly CommandFlag[] = [
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

function drain(name: 'drain on' | 'drain off', meaning: string): CommandSpec {
  return {
    name,
    meaning,
    read(input) {
      takesNothing(input, name)
      return async () => (await import('../keys.ts')).drain(input.options, name === 'drain on')
    },
  }
}

/** Commands about the whole service. */
export const SERVICE_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'usage',
    meaning: 'shows usage by tenant, UTC day and kind',
    details: 'Without days it shows the current month.',
    flags: USAGE_FLAGS,
    read(input) {
      takesNothing(input, 'usage')
      const selection = readUsageCommand(input.flags)
      return async () => (await import('../usage.ts')).readUsage(input.options, selection)
    },
  },
  drain('drain on', 'accepts no new work; running and queued tasks continue'),
  drain('drain off', 'accepts work again'),
  {
    name: 'audit',
    meaning: 'prints the audit log as JSON lines, the oldest record first',
    flags: AUDIT_FLAGS,
    read(input) {
      takesNothing(input, 'audit')
      const filter = readAuditFilter(input.flags)
      return async () => {
        await (await import('../print-audit-log.ts')).printAuditLog(input.options, filter, process.stdout)
        return ''
      }
    },
  },
  {
    name: 'doctor',
    meaning: 'makes the checks of a start, then tries storage, database, codec and engines',
    read(input) {
      takesNothing(input, 'doctor')
      return async () => {
        const { report, healthy } = await (await import('../doctor.ts')).examine(input.options)
        if (!healthy) process.exitCode = 1
        return report
      }
    },
  },
  {
    name: 'engines',
    meaning: 'tries each engine of the file of engines with a sentence, and lists state, voices and speed',
    details: 'A hosted engine bills the sentence. The JSON has the voices. The exit code is 1 when an engine fails.',
    flags: [JSON_FLAG],
    read(input) {
      takesNothing(input, 'engines')
      return async () => {
        const { list, works } = await (
          await import('../list-engines.ts')
        ).listEngines(input.options, { json: input.flags['json'] === true })
        if (!works) process.exitCode = 1
        return list
      }
    },
  },
  {
    name: 'migrate',
    meaning: 'makes or upgrades the tables of a cluster',
    read(input) {
      takesNothing(input, 'migrate')
      return async () => (await import('../import/cluster.ts')).migrateDatabase(input.options)
    },
  },
  {
    name: 'import',
    meaning: 'copies the folder of a stopped service into a cluster',
    read(input) {
      takesNothing(input, 'import')
      return async () => (await import('../import/cluster.ts')).importFolder(input.options)
    },
  },
]
