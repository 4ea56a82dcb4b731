import type { ServiceOptions } from '../service-options.ts'
import type { Check, Finding } from './doctor-check.ts'
import { UsageError } from './usage-error.ts'

/** The result of {@link examine}. */
export interface Examination {
  /** One line for each check, to be printed. */
  readonly report: string
  /** Whether no check failed. */
  readonly healthy: boolean
}

/**
 * Runs the checks one after the other. Works beside a running service.
 * @param checks The checks to run. @default those of one machine or of a cluster
 */
export async function examine(options: ServiceOptions, checks?: readonly Check[]): Promise<Examination> {
  const all = checks ?? (await checksFor(options))
  const findings: Finding[] = []
  for (const { run } of all) findings.push(await run(options).catch(failure))
  const width = Math.max(...all.map(({ name }) => name.length))
  const lines = findings.map(
    ({ level, text }, index) => `${level.padEnd(6)}${(all[index]?.name ?? '').padEnd(width)}  ${text}\n`,
  )
  return { report: lines.join(''), healthy: findings.every(({ level }) => level !== 'fail') }
}

async function checksFor({ databaseUrl }: ServiceOptions): Promise<readonly Check[]> {
  const { CHECKS } = await import('./doctor-checks.ts')
  if (databaseUrl === undefined) return CHECKS
  const { CLUSTER_CHECKS } = await import('./doctor-cluster.ts')
  return CHECKS.flatMap((check) => (check.name === 'database' ? CLUSTER_CHECKS : [check]))
}

function failure(error: unknown): Finding {
  if (error instanceof UsageError) return { level: 'warn', text: error.message }
  return { level: 'fail', text: error instanceof Error ? error.message : String(error) }
}
