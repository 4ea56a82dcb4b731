import type { MeasuredModule } from './child-protocol.ts'
import { peakMemory } from './peak-memory.ts'

/** Process entry: runs the module in its arguments and sends its cost to the parent. */
async function main(): Promise<void> {
  const [, , url = '', args = ''] = process.argv
  // The parent names only modules of the benchmark.
  const measured = (await import(url)) as MeasuredModule<unknown, unknown>
  const before = process.cpuUsage()
  const result = await measured.run(JSON.parse(args))
  const { user, system } = process.cpuUsage(before)
  process.send?.({ result, peakBytes: peakMemory(), cpuSeconds: (user + system) / 1e6 })
  process.disconnect()
}

await main()
