import { expect, test } from 'vitest'
import { runChaos } from './chaos.ts'
import { judge, reportLine } from './judge.ts'

const SECONDS = 60

test(
  'under faults nothing accepted is lost, no task has two results, and every webhook is called',
  async () => {
    const report = await runChaos({ seconds: SECONDS, apis: 3, workers: 4 })
    process.stdout.write(`${reportLine(report)}\n`)
    expect(judge(report, SECONDS)).toEqual([])
  },
  (SECONDS + 300) * 1000,
)
