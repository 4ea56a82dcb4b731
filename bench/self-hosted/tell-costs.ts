import { forgetPeak, peakMemory } from '../harness/peak-memory.ts'
import type { ServerAddress, ServerCost } from './server-protocol.ts'

/** Tells the parent where this process answers, then its costs each time that it is asked; ends with the parent. */
export function tellCosts(address: ServerAddress): void {
  let since = process.cpuUsage()
  let before = process.memoryUsage.rss()
  process.on('message', () => {
    const { user, system } = process.cpuUsage(since)
    const cost: ServerCost = {
      cpuSeconds: (user + system) / 1e6,
      residentBytes: before,
      peakBytes: peakMemory(),
    }
    forgetPeak()
    since = process.cpuUsage()
    before = process.memoryUsage.rss()
    process.send?.(cost)
  })
  process.once('disconnect', () => process.exit())
  process.send?.(address)
}
