import { join } from 'node:path'
import type { UploadArgs } from '../contestants/upload.ts'
import {
  atLeast,
  atMost,
  type BenchCase,
  type BenchContext,
  type BenchRow,
  besideLimit,
  MB,
  medians,
  rounds,
} from '../harness/bench-case.ts'
import { makeWavFile } from '../harness/wav.ts'
import { measure } from '../harness/processes.ts'
import { ScriptedService } from '../scripted/service.ts'

const CONTESTANTS = new URL('../contestants/upload.ts', import.meta.url)

/** Ours, the limit, the peers. */
const CLIENTS = ['ours', 'limit', 'openai', 'undici, two buffers'] as const
type Client = (typeof CLIENTS)[number]

/** Memory limit of an upload of any size. */
const PEAK_MB = 180

/** Cost of one upload to the client's process. */
interface Cost {
  readonly peakBytes: number
  readonly cpuSeconds: number
  /** Whether `Content-Length` was sent. */
  readonly announced: boolean
}

type Costs = Record<Client, Cost[]>

/** Memory and CPU of uploading a large file from the disk. */
export const benchCase: BenchCase = {
  name: 'upload',
  description: 'a transcription upload of 512 MB and of 1 GB from a file: peak memory and CPU of the client',
  async run(context) {
    const service = await ScriptedService.start()
    try {
      // 512 MB is the interface's limit. Twice the size shows whether memory grows with the file.
      const allowed = await uploads(context, service, 512, 5)
      const twice = await uploads(context, service, 1024, 3)
      return [...cpuRows(allowed), ...memoryRows(allowed, twice), lengthRow(allowed)]
    } finally {
      service.stop()
    }
  },
}

async function uploads(
  context: BenchContext,
  service: ScriptedService,
  megabytes: number,
  count: number,
): Promise<Costs> {
  const path = join(context.folder, `${megabytes}.wav`)
  await makeWavFile(path, megabytes * MB)
  const told: BenchContext = { ...context, progress: (text) => context.progress(`${megabytes} MB, ${text}`) }
  return rounds(told, CLIENTS, count, (client) =>
    measureUpload(context, service, client, { path, size: megabytes * MB }),
  )
}

/**
 * Uploads a file once, in a fresh process.
 * @throws Error when the response, the file's bytes or the announced length are wrong
 */
async function measureUpload(
  context: BenchContext,
  service: ScriptedService,
  client: Client,
  { path, size }: { readonly path: string; readonly size: number },
): Promise<Cost> {
  const args: UploadArgs = { origin: service.origin, path }
  const { result, peakBytes, cpuSeconds } = await measure<string>(context, CONTESTANTS, client, args)
  if (result !== 'ok') throw new Error(`${client} did not get the service's answer`)
  const { fileBytes, bodyBytes, contentLength } = await service.lastUpload()
  if (fileBytes !== size) throw new Error(`${client} sent ${fileBytes} bytes of a file of ${size}`)
  if (contentLength !== null && contentLength !== bodyBytes) {
    throw new Error(`${client} announced ${contentLength} bytes and sent ${bodyBytes}`)
  }
  return { peakBytes, cpuSeconds, announced: contentLength !== null }
}

function cpuRows(costs: Costs): BenchRow[] {
  const { ours, limit, ...peers } = medians(costs, ({ cpuSeconds }) => cpuSeconds)
  const row = { name: 'upload CPU', unit: 's', ours, limit, peers }
  const [toOpenai, toReused] = [peers.openai / ours, ours / peers['undici, two buffers']]
  return [
    besideLimit(row, 1.15),
    // The system's reads and writes cost all clients the same: with two buffers by hand, the ratio is about 2.
    { ...row, ratio: toOpenai, ...atLeast('openai/ours', toOpenai, 1.5) },
    { ...row, ratio: toReused, ...atMost('ours/undici with two buffers', toReused, 1.25) },
  ]
}

function memoryRows(allowed: Costs, twice: Costs): BenchRow[] {
  const megabytes = ({ peakBytes }: Cost): number => peakBytes / MB
  const { ours, limit, ...peers } = medians(allowed, megabytes)
  const row = { name: 'upload peak memory', unit: 'MB', ours, limit, peers }
  const oursAtTwice = medians(twice, megabytes).ours
  const growth = oursAtTwice / ours
  const toOpenai = ours / peers.openai
  return [
    { ...row, ratio: growth, ...atMost('1 GB/512 MB', growth, 1.1) },
    { ...row, ratio: toOpenai, ...atMost('ours/openai', toOpenai, 1.1) },
    { ...row, ratio: null, ...atMost('ours', Math.max(ours, oursAtTwice), PEAK_MB, ' MB, for 1 GB too') },
  ]
}

/** With a known length, a service can refuse a large file before it is sent. */
function lengthRow(costs: Costs): BenchRow {
  const { ours, limit, ...peers } = medians(costs, ({ announced }) => Number(announced))
  const name = 'upload sends Content-Length (1 yes, 0 no)'
  return { name, unit: '', ours, limit, peers, ratio: null, ...atLeast('ours', ours, 1) }
}
