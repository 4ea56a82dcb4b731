import { join } from 'node:path'
import { atLeast, atMost } from '../harness/bars.ts'
import type { BenchCase, BenchContext, BenchRow } from '../harness/bench-case.ts'
import { rounds } from '../harness/rounds.ts'
import { medians } from '../harness/statistics.ts'
import { MB } from '../harness/units.ts'
import { measureUpload, UPLOAD_CLIENTS, type UploadClient, type UploadCost } from '../upload/measure-upload.ts'
import { Sink } from '../upload/sink.ts'
import { makeWavFile } from '../upload/wav-file.ts'

/** Memory limit of an upload of any size. */
const PEAK_MB = 180

type Costs = Record<UploadClient, UploadCost[]>

/** Memory and CPU of uploading a large file from the disk. */
export const benchCase: BenchCase = {
  name: 'upload',
  description: 'a transcription upload of 512 MB and of 1 GB from a file: peak memory and CPU of the client',
  async run(context) {
    const sink = await Sink.start()
    try {
      // 512 MB is the interface's limit. Twice the size shows whether memory grows with the file.
      const allowed = await uploads(context, sink, 512, 5)
      const twice = await uploads(context, sink, 1024, 3)
      return [...cpuRows(allowed), ...memoryRows(allowed, twice), lengthRow(allowed)]
    } finally {
      sink.stop()
    }
  },
}

async function uploads(context: BenchContext, sink: Sink, megabytes: number, count: number): Promise<Costs> {
  const file = { path: join(context.folder, `${megabytes}.wav`), size: megabytes * MB }
  await makeWavFile(file.path, file.size)
  const told: BenchContext = { ...context, progress: (text) => context.progress(`${megabytes} MB, ${text}`) }
  return rounds(told, UPLOAD_CLIENTS, count, (client) => measureUpload(context, sink, client, file))
}

function cpuRows(costs: Costs): BenchRow[] {
  const { ours, limit, ...peers } = medians(costs, ({ cpuSeconds }) => cpuSeconds)
  const row = { name: 'upload CPU', unit: 's', ours, limit, peers }
  const [toLimit, toOpenai, toReused] = [ours / limit, peers.openai / ours, ours / peers['undici, two buffers']]
  return [
    { ...row, ratio: toLimit, ...atMost('ours/limit', toLimit, 1.15) },
    // The system's reads and writes cost all clients the same: with two buffers by hand, the ratio is about 2.
    { ...row, ratio: toOpenai, ...atLeast('openai/ours', toOpenai, 1.5) },
    { ...row, ratio: toReused, ...atMost('ours/undici with two buffers', toReused, 1.25) },
  ]
}

function memoryRows(allowed: Costs, twice: Costs): BenchRow[] {
  const { ours, limit, ...peers } = medians(allowed, peakMegabytes)
  const row = { name: 'upload peak memory', unit: 'MB', ours, limit, peers }
  const oursAtTwice = medians(twice, peakMegabytes).ours
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

function peakMegabytes({ peakBytes }: UploadCost): number {
  return peakBytes / MB
}
