import { parseArgs } from 'node:util'
import { runCrashRounds } from './crash-rounds.ts'

/*
 * Kills the service in the midst of its work, as often as it is told:
 *   pnpm --filter @svc-audio/service crash --rounds 20
 */
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '20' } } })
const report = await runCrashRounds(Number(values.rounds), {
  log: (line) => void process.stdout.write(`${line}\n`),
})
process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`)
