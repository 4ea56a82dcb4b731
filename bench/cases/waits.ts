import { atMost, reported } from '../harness/bars.ts'
import type { BenchCase, BenchContext, BenchRow } from '../harness/bench-case.ts'
import { rounds } from '../harness/rounds.ts'
import { medians } from '../harness/statistics.ts'
import { MB } from '../harness/units.ts'
import { Service } from '../service/service.ts'
import { measureWaits, WAIT_CLIENTS, type WaitClient, type WaitCost } from '../waits/measure-waits.ts'

/** Concurrent waits. */
const TASKS = 2000

/** Polls of a task: a short wait, and one long enough to show leftovers of the polls. */
const READS = [2, 5]

/** One connection for each poll in flight, and one spare. */
const MOST_SOCKETS = 33

/** Memory limit of the client. */
const PEAK_MB = 160

/** Sockets, memory and polling of many concurrent waits. */
export const benchCase: BenchCase = {
  name: 'waits',
  description: '2,000 waits for tasks at once: connections, early reads, peak memory and CPU of the client',
  async run(context) {
    const service = await Service.start()
    try {
      const rows: BenchRow[] = []
      for (const reads of READS) rows.push(...(await waits(context, service, reads)))
      return rows
    } finally {
      service.stop()
    }
  },
}

async function waits(context: BenchContext, service: Service, reads: number): Promise<BenchRow[]> {
  const what = `${TASKS} waits, ${reads} reads each`
  const told: BenchContext = { ...context, progress: (text) => context.progress(`${what}, ${text}`) }
  const costs = await rounds(told, WAIT_CLIENTS, 3, (client) =>
    measureWaits(context, service, client, { tasks: TASKS, reads }),
  )
  const row = (name: string, unit: string, value: (cost: WaitCost) => number): Contest => {
    const { ours, limit, ...peers } = medians(costs, value)
    return { name: `${what}: ${name}`, unit, ours, limit, peers, ratio: null }
  }
  const sockets = row('connections', '', (cost) => cost.sockets)
  const early = row('early reads', '', (cost) => cost.earlyReads)
  const memory = row('peak memory', 'MB', (cost) => cost.peakBytes / MB)
  const cpu = row('CPU a read', 'µs', (cost) => (cost.cpuSeconds * 1e6) / cost.requests)
  return [
    { ...cpu, ratio: cpu.ours / cpu.limit, ...reported('ours/limit') },
    { ...sockets, ...atMost('ours', max(costs.ours, 'sockets'), MOST_SOCKETS, ', in every run') },
    { ...early, ...atMost('ours', max(costs.ours, 'earlyReads'), 0, ', in every run') },
    { ...memory, ...atMost('ours', memory.ours, PEAK_MB, ' MB') },
  ]
}

/** A row without its bar. */
type Contest = Omit<BenchRow, 'bar' | 'ok' | 'limit'> & {
  readonly limit: number
  readonly peers: Record<Exclude<WaitClient, 'ours' | 'limit'>, number>
}

function max(costs: readonly WaitCost[], value: 'sockets' | 'earlyReads'): number {
  return Math.max(...costs.map((cost) => cost[value]))
}
