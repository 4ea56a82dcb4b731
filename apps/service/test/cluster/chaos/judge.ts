import type { ChaosReport } from './chaos.ts'

/** Answers that the documentation names for the faults of a run. */
const DOCUMENTED = new Set([
  '200 accepted',
  '500 internal_error',
  '500 outcome_unknown',
  '503 database_unavailable',
  '503 storage_unavailable',
  '409 idempotency_in_progress',
  'no connection',
])

/** A report as one line of JSON. */
export function reportLine(report: ChaosReport): string {
  const { lost, differing, silent, answers, ends } = report
  const counts = { lost: lost.length, differing: differing.length, silent: silent.length }
  return JSON.stringify({ ...report, ...counts, answers: [...answers], ends: [...ends] })
}

/** The number of ids, and some of them. */
function some(ids: readonly string[]): string {
  return `${ids.length}, for example ${ids.slice(0, 5).join(', ')}`
}

/** @returns Every promise that a run of that many seconds has broken. */
export function judge(report: ChaosReport, seconds: number): string[] {
  const { accepted, answers, crashes, differing, ends, lost, silent, unknown } = report
  const broken: string[] = []
  if (accepted <= seconds) broken.push(`only ${accepted} requests were accepted`)
  if (lost.length > 0) broken.push(`lost: ${some(lost)}`)
  if (differing.length > 0) broken.push(`two results, or a wrong one: ${some(differing)}`)
  if (silent.length > 0) broken.push(`no webhook: ${some(silent)}`)
  if (unknown > 0) broken.push(`${unknown} tasks and files that no client was told of`)
  if (crashes > 0) broken.push(`${crashes} processes ended by themselves`)
  for (const response of answers.keys()) if (!DOCUMENTED.has(response)) broken.push(`undocumented answer: ${response}`)
  for (const end of ends.keys()) if (end !== 'SUCCESS') broken.push(`end: ${end}`)
  return broken
}
