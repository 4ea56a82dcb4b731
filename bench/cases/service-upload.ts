import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  atMost,
  type BenchCase,
  type BenchContext,
  type BenchRow,
  besideLimit,
  MB,
  medians,
  reported,
  rounds,
} from '../harness/bench-case.ts'
import { makeWavFile } from '../harness/wav.ts'
import { connections, uploadFile } from '../self-hosted/requests.ts'
import { Program, Server, type ServerCost } from '../self-hosted/server.ts'

/** One less than the interface's limit, with room for the form. */
const UPLOAD_MB = 511
const RUNS = 3
/** Allowed memory of the answering process during the upload, in MB. */
const MOST_MB = 180

/** Taking a large upload. */
export const benchCase: BenchCase = {
  name: 'service-upload',
  description: 'a file of 511 MB sent to the self-hosted service: memory and CPU of the server',
  async run(context) {
    const folder = join(context.folder, 'service-upload')
    await mkdir(folder)
    const path = join(folder, 'recording.wav')
    await makeWavFile(path, UPLOAD_MB * MB)
    const contestants = ['ours', 'limit'] as const
    const runs = await rounds(context, contestants, RUNS, (who) => measureUpload(context, who, { folder, path }))
    return rowsOf(runs)
  },
}

function rowsOf(runs: Record<'ours' | 'limit', ServerCost[]>): BenchRow[] {
  const growth = medians(runs, ({ peakBytes, residentBytes }) => (peakBytes - residentBytes) / MB)
  const peak = medians(runs, ({ peakBytes }) => peakBytes / MB)
  const cpu = medians(runs, ({ cpuSeconds }) => cpuSeconds)
  const row = (name: string, unit: string, values: { readonly ours: number; readonly limit: number }) => ({
    name: `service upload of ${UPLOAD_MB} MB, ${name}`,
    unit,
    ...values,
    peers: {},
  })
  return [
    besideLimit(row('memory it takes', 'MB', growth), 1.25),
    { ...row('CPU', 's', cpu), ratio: cpu.ours / cpu.limit, ...reported('ours/limit') },
    { ...row('peak of the process', 'MB', peak), ratio: null, ...atMost('ours', peak.ours, MOST_MB, ' MB') },
  ]
}

/** One upload to a freshly started server. */
async function measureUpload(
  context: BenchContext,
  who: 'ours' | 'limit',
  { folder, path }: { readonly folder: string; readonly path: string },
): Promise<ServerCost> {
  const dataDir = join(folder, 'data')
  await mkdir(dataDir)
  const agent = connections()
  const server = await (who === 'ours' ? Program.start(context, { dataDir }) : Server.bare(context, 'upload', dataDir))
  try {
    await server.cost()
    const kept = await uploadFile(agent, server, path)
    if (kept !== UPLOAD_MB * MB) throw new Error(`${who} stored ${kept} bytes of ${UPLOAD_MB * MB}`)
    return await server.cost()
  } finally {
    server.stop()
    await agent.close()
    // The server still writes while it stops.
    await rm(dataDir, { recursive: true, maxRetries: 50, retryDelay: 100 })
  }
}
