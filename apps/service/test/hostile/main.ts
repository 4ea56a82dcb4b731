// Sends the service hostile requests, and prints the results:
//   node apps/service/test/hostile/main.ts --requests 10000 --real 500 --seed 1
import { parseArgs } from 'node:util'
import { type HostileReport, runHostile } from './run-hostile.ts'

const number = (value: string): { readonly type: 'string'; readonly default: string } => ({
  type: 'string',
  default: value,
})
const { values } = parseArgs({
  options: {
    requests: number('10000'),
    real: number('500'),
    seed: number(String(Date.now() % 1_000_000)),
    cuts: number('200'),
  },
})
const log = (line: string): void => void process.stderr.write(`${line}\n`)
const seed = Number(values.seed)
const cuts = Number(values.cuts)
const reports = [
  await runHostile({ mode: 'fast', requests: Number(values.requests), seed, cuts, slow: 60, media: false, log }),
  await runHostile({ mode: 'real', requests: Number(values.real), seed, cuts, slow: 30, media: true, log }),
]
for (const report of reports) show(report)
process.exitCode = reports.every(isSound) ? 0 : 1

function show({ routes, breaches, ...report }: HostileReport): void {
  console.table(routes)
  console.log(JSON.stringify({ ...report, breaches: breaches.length }, undefined, 2))
  const kinds = Map.groupBy(breaches, ({ route, what }) => `${route}: ${what.slice(0, 60)}`)
  for (const [kind, [first, ...others]] of kinds)
    console.log(`${kind} (${others.length + 1} times)\n  ${first?.request}`)
}

function isSound({ breaches, uploads, leftovers, alive, exitCode, acceptedShare }: HostileReport): boolean {
  const clean = breaches.length === 0 && uploads.length === 0 && leftovers.length === 0
  return clean && alive && exitCode === 0 && acceptedShare >= 0.2
}
