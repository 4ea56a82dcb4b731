// Measures a quiet tenant beside a loud one, and prints a table:
//   node apps/service/test/loud/main.ts --samples 20
// With --far, a server speaks and recognizes.
import { parseArgs } from 'node:util'
import type { Loudness } from './floods.ts'
import { type CallTimes, runLoud } from './run-loud.ts'

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
    far: { type: 'boolean' },
  },
})
const floods = values.floods?.split(',') ?? Object.keys(LOUDNESS)
const off = { unread: 0, encodings: 0, recordings: 0, tasks: 0, names: 0, measured: 0 }
const { rows } = await runLoud({
  samples: Number(values.samples),
  loudness: { ...off, ...Object.fromEntries(Object.entries(LOUDNESS).filter(([kind]) => floods.includes(kind))) },
  calls: new RegExp(values.calls, 'u'),
  recordingMinutes: 120,
  day: true,
  far: values.far ?? false,
  log: (line) => void process.stderr.write(`${line}\n`),
})
const times = ({ median, slow }: CallTimes): string =>
  `${median.toFixed(median < 10 ? 1 : 0)} / ${slow.toFixed(slow < 10 ? 1 : 0)}`
console.log('| call | alone, median / p95, ms | beside a loud tenant, median / p95, ms | ratio of p95 |')
console.log('| --- | --- | --- | --- |')
for (const { call, idle, loud, ratio } of rows) console.log(`| ${call} | ${times(idle)} | ${times(loud)} | ${ratio} |`)
process.exitCode = rows.every(({ ratio }) => ratio <= MOST) ? 0 : 1
