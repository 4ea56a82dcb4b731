import { forgetPeak, peakMemory } from '../harness/peak-memory.ts'
import type { ServerAddress, ServerCost } from './server-protocol.ts'

/** Sends the parent this process's address, then its costs on each request. Exits with the parent. */
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
