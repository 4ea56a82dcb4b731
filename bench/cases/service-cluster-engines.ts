import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { SENTENCES, wordErrorRate } from '@svc-audio/testing'
import type { Agent } from 'undici'
import { type BenchCase, type BenchContext, type BenchRow, median, reported } from '../harness/bench-case.ts'
import { secondsOf } from '../harness/wav.ts'
import { type EngineCluster, type EngineProcess, startEngineCluster } from '../self-hosted/engine-cluster.ts'
import {
  acceptTask,
  connections,
  postTranscription,
  readTask,
  type ServerAddress,
  speak,
  type Task,
} from '../self-hosted/requests.ts'

/** Tasks of a measurement. */
const SPOKEN = 80
const TRANSCRIBED = 40
/** Rounds of all contestants. */
const RUNS = 3
/** Worker processes that exist. Those without a part in a measurement pause. */
const MOST_WORKERS = 4
/** The process that does everything. */
const ALL = '--role all'
/** Number of workers of each contestant beside it. */
const WORKERS = { '1 worker': 1, '2 workers': 2, '4 workers': MOST_WORKERS } as const

/** Processes whose engines have worked. */
interface Processes {
  readonly all: EngineProcess
  readonly workers: readonly EngineProcess[]
}

/** The real engines of a cluster whose processes share this machine. */
export const benchCase: BenchCase = {
  name: 'service-cluster-engines',
  description:
    'speech and transcription tasks a second with 1, 2 and 4 workers on PostgreSQL, on the cores of this machine',
  async run(context) {
    const agent = connections()
    const cluster = await startEngineCluster(context)
    try {
      const works = [
        speechOfSentence(agent, cluster.api, SPOKEN),
        await transcriptionOfSentence(agent, cluster.api, TRANSCRIBED),
      ]
      const processes = await startWarm(context, cluster, works)
      const rates = await measureRates(context, { agent, cluster, processes, works })
      return rowsOf(works, (who, work) => median(rates.get(`${who} ${work.name}`) ?? []))
    } finally {
      await cluster.stop()
      await agent.close()
    }
  },
}

/** A rate of each contestant and kind of work, round after round. */
async function measureRates(
  context: BenchContext,
  parts: {
    readonly agent: Agent
    readonly cluster: EngineCluster
    readonly processes: Processes
    readonly works: readonly EngineWork[]
  },
): Promise<ReadonlyMap<string, readonly number[]>> {
  const { agent, cluster, works } = parts
  const { all, workers } = parts.processes
  const rates = new Map<string, number[]>()
  for (let run = 1; run <= RUNS; run += 1) {
    for (const [who, count] of Object.entries({ [ALL]: 0, ...WORKERS })) {
      const active = count === 0 ? [all] : workers.slice(0, count)
      for (const work of works) {
        context.progress(`${who}, ${work.name}, run ${run} of ${RUNS}`)
        const name = `${who} ${work.name}`
        rates.set(name, [...(rates.get(name) ?? []), await rate(context, { agent, cluster, active, work })])
      }
    }
  }
  return rates
}

function rowsOf(works: readonly EngineWork[], rateOf: (who: string, work: EngineWork) => number): BenchRow[] {
  const plain = { limit: null, peers: {}, ratio: null }
  const cores = { name: 'cores of this machine', unit: '', ours: availableParallelism(), ...plain }
  const rows: BenchRow[] = [{ ...cores, ...reported('shared by all processes') }]
  for (const work of works) {
    const all = rateOf(ALL, work)
    for (const who of Object.keys(WORKERS)) {
      const ours = rateOf(who, work)
      const row = { name: `cluster ${work.name}, ${who}`, unit: 'a second', ours, limit: null, peers: { [ALL]: all } }
      rows.push({ ...row, ratio: ours / all, ...reported(`ours/${ALL}`) })
    }
  }
  return rows
}

/** Starts all processes. They pause when their engines have worked. */
async function startWarm(
  { progress, signal }: BenchContext,
  cluster: EngineCluster,
  works: readonly EngineWork[],
): Promise<Processes> {
  const start = async (role: 'worker' | 'all'): Promise<EngineProcess> => {
    signal.throwIfAborted()
    progress(`starting --role ${role}`)
    const process = await cluster.start(role)
    // All others pause: this process gets the tasks.
    for (const work of works) await work.accept()
    while ((await cluster.open()) > 0) await sleep(20, undefined, { signal })
    process.pause()
    return process
  }
  const all = await start('all')
  const workers: EngineProcess[] = []
  while (workers.length < MOST_WORKERS) workers.push(await start('worker'))
  return { all, workers }
}

/** @returns tasks a second, of a queue that was full before the processes began */
async function rate(
  { signal }: BenchContext,
  parts: {
    readonly agent: Agent
    readonly cluster: EngineCluster
    /** Paused processes. They pause again at the end. */
    readonly active: readonly EngineProcess[]
    readonly work: EngineWork
  },
): Promise<number> {
  const { agent, cluster, active, work } = parts
  const ids = await Promise.all(Array.from({ length: work.count }, () => work.accept()))
  for (const process of active) process.resume()
  const samples: { readonly at: number; readonly ended: number }[] = []
  for (let open = Infinity; open > 0;) {
    await sleep(10, undefined, { signal })
    open = await cluster.open()
    samples.push({ at: performance.now(), ended: work.count - open })
  }
  for (const process of active) process.pause()
  let last: Task | undefined
  for (const id of ids) {
    last = await readTask(agent, cluster.api, id)
    if (last.status !== 'SUCCESS') throw new Error(`A task of ${work.name} ended as ${last.status}`)
  }
  if (last !== undefined) await work.check(last)
  // Only what all processes did counts.
  const from = samples.find(({ ended }) => ended >= work.count / 4)
  const to = samples.find(({ ended }) => ended >= (work.count * 3) / 4)
  if (from === undefined || to === undefined) throw new Error('No task has ended')
  return ((to.ended - from.ended) * 1000) / (to.at - from.at)
}

/** Tasks of one kind. */
interface EngineWork {
  readonly name: string
  /** Tasks of a measurement. */
  readonly count: number
  /** Accepts a task. @returns its id */
  accept(): Promise<string>
  /** @throws unless the result is that of the work */
  check(task: Task): Promise<void>
}

const VOICE = 'rms'
const [SENTENCE = ''] = SENTENCES
/** Maximum word errors of the sentence's transcript. */
const MOST_ERRORS = 0.5

/** Tasks that speak one sentence as WAV. */
function speechOfSentence(agent: Agent, api: ServerAddress, count: number): EngineWork {
  return {
    name: 'speech of a sentence',
    count,
    accept: () => acceptTask(agent, api, { input: SENTENCE, voice_id: VOICE }),
    async check({ url = '' }) {
      const seconds = secondsOf(new Uint8Array(await (await fetch(url)).arrayBuffer()))
      if (!(seconds > 1)) throw new Error(`A spoken sentence has ${seconds} seconds`)
    },
  }
}

/** Tasks that transcribe the recording of one sentence, sent with each. */
async function transcriptionOfSentence(agent: Agent, api: ServerAddress, count: number): Promise<EngineWork> {
  const { value: recording } = await speak(agent, api, { input: SENTENCE, voiceId: VOICE, format: 'wav' })
  return {
    name: `transcription of ${secondsOf(recording).toFixed(1)} s`,
    count,
    async accept() {
      const fields = { model: 'svc-transcribe-1.0', async: 'true' }
      // The response of our service has this field.
      return ((await postTranscription(api, recording, fields)) as { task_id: string }).task_id
    },
    async check({ text = '' }) {
      const errors = wordErrorRate(SENTENCE, text)
      if (errors > MOST_ERRORS) throw new Error(`A transcript has ${Math.round(100 * errors)} % word errors`)
    },
  }
}
