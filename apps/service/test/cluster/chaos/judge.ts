import type { ChaosReport } from './chaos.ts'

/** Answers that the documentation names for the faults of a run. */
const DOCUMENTED = new Set([
  '200 accepted',
  '500 internal_error',
  '503 database_unavailable',
  '409 idempotency_in_progress',
  'no connection',
])

/** A report as one line of JSON. */
export function reportLine(report: ChaosReport): string {
  return JSON.stringify({ ...report, answers: [...report.answers], ends: [...report.ends] })
}

/** @returns Every promise that a run of that many seconds has broken. */
export function judge(report: ChaosReport, seconds: number): string[] {
  const { accepted, answers, differing, ends, lost, silent, unknown } = report
  const broken: string[] = []
  if (accepted <= seconds) broken.push(`only ${accepted} tasks were accepted`)
  if (lost.length > 0) broken.push(`lost: ${lost.join(', ')}`)
  if (differing.length > 0) broken.push(`two results: ${differing.join(', ')}`)
  if (silent.length > 0) broken.push(`no webhook: ${silent.join(', ')}`)
  if (unknown > 0) broken.push(`${unknown} tasks that no client was told of`)
  for (const answer of answers.keys()) if (!DOCUMENTED.has(answer)) broken.push(`undocumented answer: ${answer}`)
  for (const end of ends.keys()) if (end !== 'SUCCESS') broken.push(`end: ${end}`)
  return broken
}
