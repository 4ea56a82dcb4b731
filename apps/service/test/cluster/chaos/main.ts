/* Runs a cluster under faults for ten minutes: `node test/cluster/chaos/main.ts [minutes]`. Needs PostgreSQL. */
import { runChaos } from './chaos.ts'
import { judge, reportLine } from './judge.ts'

const minutes = Number(process.argv[2] ?? 10)
const report = await runChaos({ seconds: minutes * 60, apis: 3, workers: 4 })
const broken = judge(report, minutes * 60)
process.stdout.write(`${reportLine(report)}\n${broken.length === 0 ? 'Every promise held' : broken.join('\n')}\n`)
process.exitCode = broken.length === 0 ? 0 : 1
