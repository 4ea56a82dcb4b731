import { parseArgs } from 'node:util'
import { runCrashRounds } from './crash-rounds.ts'
import { reportTable } from './report-table.ts'

/*
 * Kills a working service for a number of rounds. Exits with 1 if anything was lost:
 *   pnpm --filter @svc-audio/service crash --rounds 20
 */
const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '20' }, seed: { type: 'string', default: String(Date.now() % 1e6) } },
})
const [rounds, seed] = [Number(values.rounds), Number(values.seed)]
if (!Number.isInteger(rounds) || rounds < 1 || !Number.isInteger(seed))
  throw new RangeError('--rounds and --seed are whole numbers')
const log = (line: string): void => void process.stdout.write(`${line}\n`)
log(`seed ${seed}`)
const report = await runCrashRounds({ rounds, seed, log })
log('')
process.stdout.write(reportTable(report))
if (report.faults.length > 0) process.exitCode = 1
