import { parseArgs } from 'node:util'
import { runCrashRounds } from './crash-rounds.ts'
import { countSyncs, totalSyncs } from './sync-counts.ts'
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '20' }, seed: {type:'string', default: '1'} } })
const report = await runCrashRounds({ rounds: Number(values.rounds), seed: Number(values.seed), log: console.log })
console.log(report.faults.map(f=>f.fault+' '+(f.write?.kind??'')+' '+(f.write?.key??'')))
const c = countSyncs(report.steps)
for (const w of report.writes) console.log(w.kind, w.key, w.acknowledged, w.atOnce, report.ends.get(w), JSON.stringify(c.get(w.key)))
console.log(totalSyncs(report.steps), report.calls)
