import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { type EngineCluster, type EngineProcess, startEngineCluster } from '../cluster/engine-cluster.ts'
import { checkResults, type EngineWork, speechOfSentence, transcriptionOfSentence } from '../cluster/engine-work.ts'
import { reported } from '../harness/bars.ts'
import type { BenchCase, BenchContext, BenchRow } from '../harness/bench-case.ts'
import { median } from '../harness/statistics.ts'
import { connections } from '../self-hosted/small-requests.ts'

/** Tasks of a measurement. */
const SPOKEN = 160
const TRANSCRIBED = 24
/** Measurements of each contestant. */
const RUNS = 3
/** The process that does everything. */
const ALL = '--role all'
/** Each contestant's processes. */
const CONTESTANTS = { [ALL]: 1, '1 worker': 1, '2 workers': 2, '4 workers': 4 } as const

/** The real engines of a cluster whose processes share this machine. */
export const benchCase: BenchCase = {
  name: 'service-cluster-engines',
  description: 'speech and transcription tasks a second with 1, 2 and 4 workers on PostgreSQL, on the cores of this machine',
  async run(context) {
    const agent = connections()
    const cluster = await startEngineCluster(context)
    try {
      const works = [
        speechOfSentence(agent, cluster.api, SPOKEN),
        await transcriptionOfSentence(agent, cluster.api, TRANSCRIBED),
      ]
      const rates = new Map<string, number>()
      for (const [who, count] of Object.entries(CONTESTANTS)) {
        const processes = await startWarm(context, { cluster, works, who, count })
        for (const work of works) {
          context.progress(`${who}, ${work.name}`)
          const runs: number[] = []
          for (let run = 0; run < RUNS; run += 1) runs.push(await rate(context, { cluster, processes, work }))
          rates.set(`${who} ${work.name}`, median(runs))
        }
        await Promise.all(processes.map((process) => process.stop()))
      }
      return rowsOf(works, rates)
    } finally {
      await cluster.stop()
      await agent.close()
    }
  },
}

function rowsOf(works: readonly EngineWork[], rates: ReadonlyMap<string, number>): BenchRow[] {
  const cores = availableParallelism()
  const rows: BenchRow[] = [
    { name: 'cores of this machine', unit: '', ours: cores, limit: null, peers: {}, ratio: null, ...reported('shared by all') },
  ]
  for (const { name } of works) {
    const all = rates.get(`${ALL} ${name}`) ?? Number.NaN
    for (const who of Object.keys(CONTESTANTS).filter((one) => one !== ALL)) {
      const ours = rates.get(`${who} ${name}`) ?? Number.NaN
      const row = { name: `cluster ${name}, ${who}`, unit: 'a second', ours, limit: null, peers: { [ALL]: all } }
      rows.push({ ...row, ratio: ours / all, ...reported(`ours/${ALL}`) })
    }
  }
  return rows
}

/** Starts processes. The engines of each have worked when this resolves. */
async function startWarm(
  { progress, signal }: BenchContext,
  parts: {
    readonly cluster: EngineCluster
    readonly works: readonly EngineWork[]
    readonly who: string
    readonly count: number
  },
): Promise<EngineProcess[]> {
  const { cluster, works, who, count } = parts
  const processes: EngineProcess[] = []
  for (let number = 1; number <= count; number += 1) {
    signal.throwIfAborted()
    progress(`${who}, starting process ${number}`)
    // The others pause: this one gets the tasks.
    for (const process of processes) process.pause()
    processes.push(await cluster.start(who === ALL ? 'all' : 'worker'))
    for (const work of works) await work.accept()
    while ((await cluster.open()) > 0) await sleep(20, undefined, { signal })
  }
  for (const process of processes) process.resume()
  return processes
}

/** @returns tasks a second, of a queue that was full before the processes began */
async function rate(
  { signal }: BenchContext,
  parts: {
    readonly cluster: EngineCluster
    readonly processes: readonly EngineProcess[]
    readonly work: EngineWork
  },
): Promise<number> {
  const { cluster, processes, work } = parts
  for (const process of processes) process.pause()
  const ids = await Promise.all(Array.from({ length: work.count }, () => work.accept()))
  for (const process of processes) process.resume()
  const samples: { readonly at: number; readonly ended: number }[] = []
  for (let open = Infinity; open > 0; ) {
    await sleep(10, undefined, { signal })
    open = await cluster.open()
    samples.push({ at: performance.now(), ended: work.count - open })
  }
  await checkResults(cluster.api, work, ids)
  // Only what all processes did counts.
  const from = samples.find(({ ended }) => ended >= work.count / 4)
  const to = samples.find(({ ended }) => ended >= (work.count * 3) / 4)
  if (from === undefined || to === undefined) throw new Error('No task has ended')
  return ((to.ended - from.ended) * 1000) / (to.at - from.at)
}
