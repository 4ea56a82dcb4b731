import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent } from 'undici'
import {
  atMost,
  type BenchCase,
  type BenchContext,
  type BenchRow,
  besideLimit,
  median,
  percentile,
  repeat,
  rounds,
} from '../harness/bench-case.ts'
import { postSpeech } from '../self-hosted/requests.ts'
import { Program, Server } from '../self-hosted/server.ts'

/** Requests of one run, by the number of clients that send one after the other. */
const REQUESTS: ReadonlyMap<number, number> = new Map([
  [1, 8],
  [10, 30],
  [40, 60],
])
/** Runs of each contestant. */
const RUNS = 3
/** Largest cost with ffmpeg, in times of the pipeline by hand. */
const MOST_BY_HAND = 1.15
/** Largest cost without ffmpeg, in times of that with ffmpeg. */
const MOST_WITHOUT = 1.5
/** Time for processes to end their work after the last response. */
const SETTLE_MS = 200

const INPUT = 'Your parcel has been delivered to the front desk. Please bring your passport when you pick it up.'

/** Bytes of a second of audio: WAV of 16 kHz, mp3 of 64 kbit/s. */
const BYTES_PER_SECOND = { wav: 32_000, mp3: 8000 } as const
type Format = keyof typeof BYTES_PER_SECOND

/** The service with the ffmpeg on PATH, the service without any, and the pipeline by hand with the ffmpeg on PATH. */
const CONTESTANTS = ['ours', 'without ffmpeg', 'limit'] as const
type Contestants = Readonly<Record<(typeof CONTESTANTS)[number], Program | Server>>

/** One run of a contestant. */
interface Run {
  /** CPU of all processes for a second of audio, in milliseconds. */
  readonly cpu: number
  /** Times of the responses, in milliseconds. */
  readonly times: readonly number[]
}

/** Speech with and without a system ffmpeg, next to a pipeline by hand. */
export const benchCase: BenchCase = {
  name: 'service-speech',
  description: 'speech as wav and mp3 for 1, 10 and 40 clients, with and without ffmpeg: CPU of all processes, p95',
  async run(context) {
    const agent = new Agent({ connections: Math.max(...REQUESTS.keys()), keepAliveTimeout: 60_000, headersTimeout: 0 })
    const contestants = await start(context)
    try {
      const rows: BenchRow[] = []
      for (const format of ['wav', 'mp3'] as const) {
        for (const clients of REQUESTS.keys())
          rows.push(...(await compare(context, agent, contestants, { format, clients })))
      }
      return rows
    } finally {
      for (const contestant of Object.values(contestants)) contestant.stop()
      await agent.close()
    }
  },
}

async function start(context: BenchContext): Promise<Contestants> {
  const folderOf = async (name: string): Promise<string> => {
    const folder = join(context.folder, 'service-speech', name)
    await mkdir(folder, { recursive: true })
    return folder
  }
  // A PATH with nothing on it. The service starts its own processes by their full names.
  const PATH = await folderOf('empty')
  return {
    ours: await Program.start(context, { dataDir: await folderOf('with') }),
    'without ffmpeg': await Program.start(context, { dataDir: await folderOf('without'), environment: { PATH } }),
    limit: await Server.bare(context, 'pipeline', await folderOf('by-hand')),
  }
}

interface Cell {
  readonly format: Format
  readonly clients: number
}

async function compare(context: BenchContext, agent: Agent, contestants: Contestants, cell: Cell): Promise<BenchRow[]> {
  const name = `service speech, ${cell.format}, ${cell.clients} ${cell.clients === 1 ? 'client' : 'clients'}`
  const reporting: BenchContext = { ...context, progress: (text) => context.progress(`${name}: ${text}`) }
  const runs = await rounds(reporting, CONTESTANTS, RUNS, (who) => speakMany(agent, contestants[who], cell))
  const cpu = valuesOf(runs, (of) => median(of.map((run) => run.cpu)))
  const late = valuesOf(runs, (of) =>
    percentile(
      of.flatMap((run) => run.times),
      0.95,
    ),
  )
  const unit = 'ms CPU a second of audio'
  const rows = [rowOf(`${name}, all processes`, unit, cpu), rowOf(`${name}, p95`, 'ms', late)]
  if (cell.format === 'wav') return rows
  const ratio = cpu.without / cpu.ours
  const without = { name: `${name}, without ffmpeg`, unit, ours: cpu.without, limit: cpu.ours, peers: {}, ratio }
  return [...rows, { ...without, ...atMost('without/with ffmpeg', ratio, MOST_WITHOUT) }]
}

interface Values {
  readonly ours: number
  readonly without: number
  readonly limit: number
}

function valuesOf(
  runs: Readonly<Record<keyof Contestants, readonly Run[]>>,
  value: (runs: readonly Run[]) => number,
): Values {
  return { ours: value(runs.ours), without: value(runs['without ffmpeg']), limit: value(runs.limit) }
}

function rowOf(name: string, unit: string, { ours, without, limit }: Values): BenchRow {
  return besideLimit({ name, unit, ours, limit, peers: { 'without ffmpeg': without } }, MOST_BY_HAND)
}

async function speakMany(agent: Agent, server: Program | Server, { format, clients }: Cell): Promise<Run> {
  let seconds = 0
  const times: number[] = []
  const before = server.treeCpuSeconds()
  await repeat(REQUESTS.get(clients) ?? 0, clients, async () => {
    const begin = performance.now()
    const bytes = await speak(agent, server, format)
    times.push(performance.now() - begin)
    seconds += bytes / BYTES_PER_SECOND[format]
  })
  await sleep(SETTLE_MS)
  return { cpu: ((server.treeCpuSeconds() - before) / seconds) * 1000, times }
}

/** Speaks the text. @returns the size of the file. @throws unless the file has the form and the length of the speech */
async function speak(agent: Agent, server: Program | Server, format: Format): Promise<number> {
  const body = await postSpeech(agent, server, { input: INPUT, voice_id: 'rms', response_format: format })
  const bytes = Buffer.from(await body.bytes())
  const seconds = bytes.byteLength / BYTES_PER_SECOND[format]
  const begin = bytes.toString('latin1', 0, 3)
  const right = format === 'wav' ? begin === 'RIF' : begin === 'ID3' || bytes.readUInt8(0) === 0xff
  if (!right || seconds < 4 || seconds > 8) throw new Error(`${format}: ${seconds} s that begin with ${begin}`)
  return bytes.byteLength
}
