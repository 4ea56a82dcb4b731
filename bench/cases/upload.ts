import { join } from 'node:path'
import { atLeast, atMost } from '../harness/bars.ts'
import type { BenchCase, BenchContext, BenchRow } from '../harness/bench-case.ts'
import { rounds } from '../harness/rounds.ts'
import { medians } from '../harness/statistics.ts'
import { MB } from '../harness/units.ts'
import { measureUpload, UPLOAD_CLIENTS, type UploadClient, type UploadCost } from '../upload/measure-upload.ts'
import { Sink } from '../upload/sink.ts'
import { makeWavFile } from '../upload/wav-file.ts'

/** The largest memory that an upload of any size may take. */
const PEAK_MB = 180

type Costs = Record<UploadClient, UploadCost[]>

/** Memory and CPU of uploading a large file from the disk. */
export const benchCase: BenchCase = {
  name: 'upload',
  description: 'a transcription upload of 256 MB and of 512 MB from a file: peak memory and CPU of the client',
  async run(context) {
    const sink = await Sink.start()
    try {
      // 512 MB is the most that the interface allows; half of it shows whether memory grows with the file.
      const half = await uploads(context, sink, 256, 3)
      // More runs, since CPU varies more than memory.
      const whole = await uploads(context, sink, 512, 9)
      return [...cpuRows(whole), ...memoryRows(half, whole), lengthRow(whole)]
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
  const [toLimit, toOpenai] = [ours / limit, peers.openai / ours]
  return [
    { ...row, ratio: toLimit, ...atMost('ours/limit', toLimit, 1.15) },
    { ...row, ratio: toOpenai, ...atLeast('openai/ours', toOpenai, 2) },
  ]
}

function memoryRows(half: Costs, whole: Costs): BenchRow[] {
  const { ours, limit, ...peers } = medians(whole, peakMegabytes)
  const row = { name: 'upload peak memory', unit: 'MB', ours, limit, peers }
  const growth = ours / medians(half, peakMegabytes).ours
  const toOpenai = ours / peers.openai
  return [
    { ...row, ratio: growth, ...atMost('512 MB/256 MB', growth, 1.1) },
    { ...row, ratio: toOpenai, ...atMost('ours/openai', toOpenai, 1.1) },
    { ...row, ratio: null, ...atMost('ours', ours, PEAK_MB, ' MB') },
  ]
}

/** A known length lets a service refuse a file that is too large before it is sent. */
function lengthRow(costs: Costs): BenchRow {
  const { ours, limit, ...peers } = medians(costs, ({ announced }) => Number(announced))
  const name = 'upload sends Content-Length (1 yes, 0 no)'
  return { name, unit: '', ours, limit, peers, ratio: null, ...atLeast('ours', ours, 1) }
}

function peakMegabytes({ peakBytes }: UploadCost): number {
  return peakBytes / MB
}
