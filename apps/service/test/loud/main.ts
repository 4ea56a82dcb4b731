// Measures a quiet tenant beside a loud one, and prints a table:
//   node apps/service/test/loud/main.ts --samples 20
import { parseArgs } from 'node:util'
import type { Loudness } from './floods.ts'
import { runLoud } from './run-loud.ts'

/** Largest ratio of a 95th percentile under load to the same alone. */
const MOST = 3

const LOUDNESS: Omit<Loudness, 'contents'> = {
  unread: 10,
  encodings: 40,
  recordings: 6,
  tasks: 500,
  names: 40,
  measured: 4,
}

const { values } = parseArgs({
  options: {
    samples: { type: 'string', default: '40' },
    calls: { type: 'string', default: '' },
    floods: { type: 'string' },
  },
})
const floods = values.floods?.split(',') ?? Object.keys(LOUDNESS)
const off = { unread: 0, encodings: 0, recordings: 0, tasks: 0, names: 0, measured: 0 }
const rows = await runLoud({
  samples: Number(values.samples),
  loudness: { ...off, ...Object.fromEntries(Object.entries(LOUDNESS).filter(([kind]) => floods.includes(kind))) },
  calls: new RegExp(values.calls, 'u'),
  recordingMinutes: 120,
  day: true,
  log: (line) => void process.stderr.write(`${line}\n`),
})
console.log('| call | alone, p95 ms | beside a loud tenant, p95 ms | ratio |\n| --- | --- | --- | --- |')
for (const { call, idle, loud, ratio } of rows) console.log(`| ${call} | ${idle} | ${loud} | ${ratio} |`)
process.exitCode = rows.every(({ ratio }) => ratio <= MOST) ? 0 : 1
