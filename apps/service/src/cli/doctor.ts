import type { ServiceOptions } from '../service-options.ts'
import { UsageError } from './usage-error.ts'

/** What a check has found. */
export interface Finding {
  /** `warn`: the service runs, but not with everything. */
  readonly level: 'ok' | 'warn' | 'fail'
  /** In a few words, with the remedy when something is wrong. */
  readonly text: string
}

/** Looks at one thing that the service needs. What it throws is a failure. */
export interface Check {
  readonly name: string
  readonly run: (options: ServiceOptions) => Promise<Finding>
}

/** What {@link examine} came to. */
export interface Examination {
  /** For people: a line a check. */
  readonly report: string
  /** Whether nothing has failed. */
  readonly healthy: boolean
}

/**
 * Tries what the service needs, one after the other, also beside a running one.
 * @param checks What is tried. @default everything
 */
export async function examine(options: ServiceOptions, checks?: readonly Check[]): Promise<Examination> {
  const all = checks ?? (await import('./doctor-checks.ts')).CHECKS
  const findings: Finding[] = []
  for (const { run } of all) findings.push(await run(options).catch(failure))
  const width = Math.max(...all.map(({ name }) => name.length))
  const lines = findings.map(
    ({ level, text }, index) => `${level.padEnd(6)}${(all[index]?.name ?? '').padEnd(width)}  ${text}\n`,
  )
  return { report: lines.join(''), healthy: findings.every(({ level }) => level !== 'fail') }
}

function failure(error: unknown): Finding {
  if (error instanceof UsageError) return { level: 'warn', text: error.message }
  return { level: 'fail', text: error instanceof Error ? error.message : String(error) }
}
