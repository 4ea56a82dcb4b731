import { expect, test } from 'vitest'
import { runChaos } from './chaos.ts'

/** Answers that the documentation names for the faults of this test. */
const DOCUMENTED = new Set([
  '200 accepted',
  '500 internal_error',
  '503 database_unavailable',
  '409 idempotency_in_progress',
  'no connection',
])

/** Ten minutes for a long run, by the variable CHAOS_SECONDS. */
const seconds = Number(process.env['CHAOS_SECONDS'] ?? 60)

test(
  'under faults nothing accepted is lost, no task has two results, and every webhook is called',
  async () => {
    const report = await runChaos({ seconds, apis: 3, workers: 4 })
    process.stdout.write(`${JSON.stringify({ ...report, answers: [...report.answers], ends: [...report.ends] })}\n`)
    expect(report.accepted).toBeGreaterThan(seconds)
    expect(report).toMatchObject({ lost: [], differing: [], silent: [], unknown: 0 })
    expect([...report.answers.keys()].filter((answer) => !DOCUMENTED.has(answer))).toEqual([])
    expect([...report.ends.keys()]).toEqual(['SUCCESS'])
  },
  (seconds + 300) * 1000,
)
