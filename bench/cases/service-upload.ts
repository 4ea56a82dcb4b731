import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { atMost, reported } from '../harness/bars.ts'
import type { BenchCase, BenchContext, BenchRow } from '../harness/bench-case.ts'
import { rounds } from '../harness/rounds.ts'
import { medians } from '../harness/statistics.ts'
import { MB } from '../harness/units.ts'
import { Program } from '../self-hosted/program.ts'
import { Server } from '../self-hosted/server.ts'
import type { ServerCost } from '../self-hosted/server-protocol.ts'
import { connections } from '../self-hosted/small-requests.ts'
import { uploadFile } from '../self-hosted/upload-file.ts'
import { makeWavFile } from '../upload/wav-file.ts'

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
  const ratio = growth.ours / growth.limit
  return [
    { ...row('memory it takes', 'MB', growth), ratio, ...atMost('ours/limit', ratio, 1.25) },
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
  const server = await (who === 'ours' ? Program.start(context, dataDir) : Server.bareUpload(context, dataDir))
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
