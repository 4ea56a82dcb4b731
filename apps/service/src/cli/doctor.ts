import type { ServiceOptions } from '../service-options.ts'
import type { Check, Finding } from './doctor-check.ts'
import { UsageError } from './errors.ts'

/** The result of {@link examine}. */
export interface Examination {
  /** A line for each thing that was checked, to be printed. */
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
  const rows: (Finding & { readonly name: string })[] = []
  for (const { name, run } of all) {
    const found = [await run(options).catch(failure)].flat()
    for (const finding of found) rows.push({ name, ...finding })
  }
  const width = Math.max(...rows.map(({ name }) => name.length))
  const lines = rows.map(({ level, name, text }) => `${level.padEnd(6)}${name.padEnd(width)}  ${text}\n`)
  return { report: lines.join(''), healthy: rows.every(({ level }) => level !== 'fail') }
}

async function checksFor({ databaseUrl, enginesFile }: ServiceOptions): Promise<readonly Check[]> {
  const { CHECKS } = await import('./doctor-checks.ts')
  const checks = [START, ...CHECKS, ...(enginesFile === undefined ? [] : [ENGINES_OF_FILE])]
  if (databaseUrl === undefined) return checks
  const { CLUSTER_CHECKS } = await import('./doctor-cluster.ts')
  return checks.flatMap((check) => (check.name === 'database' ? CLUSTER_CHECKS : [check]))
}

/** Runs the checks of a start. */
const START: Check = {
  name: 'start',
  run: async (options) => (await import('./doctor-start.ts')).checkStart(options),
}

/** Speaks and recognizes a sentence with each engine of the file. */
const ENGINES_OF_FILE: Check = {
  name: 'engines of the file',
  run: async (options) => (await import('./list-engines.ts')).checkEngines(options),
}

function failure(error: unknown): Finding {
  if (error instanceof UsageError) return { level: 'warn', text: error.message }
  return { level: 'fail', text: error instanceof Error ? error.message : String(error) }
}
