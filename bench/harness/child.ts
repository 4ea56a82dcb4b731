import { ownCpuSeconds, peakMemory } from './process-costs.ts'
import type { MeasuredModule, Measurement } from './processes.ts'

/** Process entry: prepares a contestant of the module in its arguments, runs it and sends its cost to the parent. */
const [, , url = '', name = '', args = ''] = process.argv
// The parent names only modules of the benchmark.
const { contestants } = (await import(url)) as MeasuredModule<unknown>
const prepare = contestants[name]
if (prepare === undefined) throw new Error(`${url} has no contestant "${name}"`)
const run = await prepare()
const before = process.cpuUsage()
const result = await run(JSON.parse(args))
const cpuSeconds = ownCpuSeconds(before)
process.send?.({ result, peakBytes: peakMemory(), cpuSeconds } satisfies Measurement<unknown>)
process.disconnect()
