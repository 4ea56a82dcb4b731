import type { MeasuredModule } from './child-protocol.ts'

/** Process entry: runs the module that the arguments name and sends its cost to the parent. */
async function main(): Promise<void> {
  const [, , url = '', args = ''] = process.argv
  const floor = process.resourceUsage().maxRSS
  // The parent names its own modules only.
  const measured = (await import(url)) as MeasuredModule<unknown, unknown>
  const before = process.cpuUsage()
  const result = await measured.run(JSON.parse(args))
  const { user, system } = process.cpuUsage(before)
  const peak = process.resourceUsage().maxRSS
  // On Linux a process inherits the peak of the one that started it. A peak that never moved is that one's.
  if (peak === floor) throw new Error(`The peak of ${peak} KB is that of the parent process, which must be smaller`)
  process.send?.({ result, peakBytes: peak * 1024, cpuSeconds: (user + system) / 1e6 })
  process.disconnect()
}

await main()
