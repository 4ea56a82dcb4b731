import type { WaitArgs } from '../contestants/waits.ts'
import {
  atMost,
  type BenchCase,
  type BenchContext,
  type BenchRow,
  MB,
  medians,
  reported,
  rounds,
} from '../harness/bench-case.ts'
import { measure } from '../harness/processes.ts'
import { ScriptedService, type ServiceReport } from '../scripted/service.ts'

const CONTESTANTS = new URL('../contestants/waits.ts', import.meta.url)

/** Ours, the limit, the usual way. */
const CLIENTS = ['ours', 'limit', 'undici, a loop a task'] as const

/** Concurrent waits. */
const TASKS = 2000

/** Polls of a task: a short wait, and one long enough to show leftovers of the polls. */
const READS = [2, 5]

/** One connection for each poll in flight, and one spare. */
const MOST_SOCKETS = 33

/** Memory limit of the client. */
const PEAK_MB = 160

/** Cost of many waits to the client's process, and the service's report. */
interface Cost extends ServiceReport {
  readonly peakBytes: number
  readonly cpuSeconds: number
}

/** Sockets, memory and polling of many concurrent waits. */
export const benchCase: BenchCase = {
  name: 'waits',
  description: '2,000 waits for tasks at once: connections, early reads, peak memory and CPU of the client',
  async run(context) {
    const service = await ScriptedService.start()
    try {
      const rows: BenchRow[] = []
      for (const reads of READS) rows.push(...(await waits(context, service, reads)))
      return rows
    } finally {
      service.stop()
    }
  },
}

async function waits(context: BenchContext, service: ScriptedService, reads: number): Promise<BenchRow[]> {
  const what = `${TASKS} waits, ${reads} reads each`
  const told: BenchContext = { ...context, progress: (text) => context.progress(`${what}, ${text}`) }
  const args: WaitArgs = { origin: service.origin, tasks: TASKS, reads }
  const costs = await rounds(told, CLIENTS, 3, (client) => measureWaits(context, service, client, args))
  const row = (name: string, unit: string, value: (cost: Cost) => number) => {
    const { ours, limit, ...peers } = medians(costs, value)
    return { name: `${what}: ${name}`, unit, ours, limit, peers, ratio: null }
  }
  const worst = (value: 'sockets' | 'earlyReads'): number => Math.max(...costs.ours.map((cost) => cost[value]))
  const memory = row('peak memory', 'MB', (cost) => cost.peakBytes / MB)
  const cpu = row('CPU a read', 'µs', (cost) => (cost.cpuSeconds * 1e6) / cost.requests)
  return [
    { ...cpu, ratio: cpu.ours / cpu.limit, ...reported('ours/limit') },
    {
      ...row('connections', '', (cost) => cost.sockets),
      ...atMost('ours', worst('sockets'), MOST_SOCKETS, ', in every run'),
    },
    {
      ...row('early reads', '', (cost) => cost.earlyReads),
      ...atMost('ours', worst('earlyReads'), 0, ', in every run'),
    },
    { ...memory, ...atMost('ours', memory.ours, PEAK_MB, ' MB') },
  ]
}

/**
 * Waits for many tasks at once, in a fresh process.
 * @throws Error when a task was not polled to its end, or was polled afterwards
 */
async function measureWaits(
  context: BenchContext,
  service: ScriptedService,
  client: (typeof CLIENTS)[number],
  args: WaitArgs,
): Promise<Cost> {
  await service.report()
  const { result, peakBytes, cpuSeconds } = await measure<number>(context, CONTESTANTS, client, args)
  const report = await service.report()
  if (result !== args.tasks || report.finishedTasks !== args.tasks) {
    throw new Error(`${client} waited for ${result} of ${args.tasks} tasks`)
  }
  if (report.requests !== args.tasks * args.reads) throw new Error(`${client} read ${report.requests} times`)
  return { ...report, peakBytes, cpuSeconds }
}
