// Measures a quiet tenant beside a loud one, and prints a table:
//   node apps/service/test/loud/main.ts --samples 20
import { parseArgs } from 'node:util'
import { runLoud } from './run-loud.ts'

/** Largest ratio of a 95th percentile under load to the same alone. */
const MOST = 3

const { values } = parseArgs({ options: { samples: { type: 'string', default: '20' } } })
const rows = await runLoud({
  samples: Number(values.samples),
  loudness: { unread: 10, encodings: 40, recordings: 6, tasks: 500, names: 40, measured: 4 },
  recordingMinutes: 120,
  day: true,
  log: (line) => void process.stderr.write(`${line}\n`),
})
console.log('| call | alone, p95 ms | beside a loud tenant, p95 ms | ratio |\n| --- | --- | --- | --- |')
for (const { call, idle, loud, ratio } of rows) console.log(`| ${call} | ${idle} | ${loud} | ${ratio} |`)
process.exitCode = rows.every(({ ratio }) => ratio <= MOST) ? 0 : 1
