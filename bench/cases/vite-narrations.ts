import { join } from 'node:path'
import { atMost } from '../harness/bars.ts'
import type { BenchCase, BenchContext, BenchRow } from '../harness/bench-case.ts'
import { measure } from '../harness/measure.ts'
import { rounds } from '../harness/rounds.ts'
import { medians } from '../harness/statistics.ts'
import { KB, MB } from '../harness/units.ts'
import { makeSites, type Sites } from '../vite/site.ts'

const NARRATED = new URL('../vite/narrated.ts', import.meta.url)
const STATIC = new URL('../vite/static.ts', import.meta.url)
const POSTS = 200
/** Memory limit of a build that copies large files. */
const COPY_MB = 300

type Builder = 'ours' | 'limit'

interface Cost {
  readonly cpuSeconds: number
  readonly peakBytes: number
}

/** CPU and memory of a warm build with narrations. */
export const benchCase: BenchCase = {
  name: 'vite-narrations',
  description: 'a warm build of 200 narrations against the same files as static assets; 200 large ones with emit: copy',
  async run(context) {
    const small = await makeSites(join(context.folder, 'small'), POSTS, 200 * KB)
    const costs = await rounds(context, ['ours', 'limit'], 7, (name) => built(context, small, name))
    // `VITE_BENCH_MB` sets a smaller file size, to save time or disk.
    const megabytes = Number(process.env['VITE_BENCH_MB'] ?? 5)
    const large = await makeSites(join(context.folder, 'large'), POSTS, megabytes * MB)
    context.progress(`${POSTS} files of ${megabytes} MB, copied`)
    const copied = await measure(context, NARRATED, { root: large.narrated, emit: 'copy' })
    return [...warmRows(costs), copyRow(copied, megabytes)]
  },
}

async function built(context: BenchContext, sites: Sites, name: Builder): Promise<Cost> {
  return name === 'ours'
    ? measure(context, NARRATED, { root: sites.narrated, emit: 'bundle' })
    : measure(context, STATIC, { root: sites.static })
}

function warmRows(costs: Record<Builder, Cost[]>): BenchRow[] {
  const cpu = medians(costs, ({ cpuSeconds }) => cpuSeconds)
  const peak = medians(costs, ({ peakBytes }) => peakBytes / MB)
  const cpuRatio = cpu.ours / cpu.limit
  const peakRatio = peak.ours / peak.limit
  const name = `warm build of ${POSTS} narrations`
  const bar = (ratio: number): Pick<BenchRow, 'ratio' | 'peers' | 'bar' | 'ok'> => {
    return { ratio, peers: {}, ...atMost('ours/limit', ratio, 1.05) }
  }
  return [
    { name: `${name}, CPU`, unit: 's', ours: cpu.ours, limit: cpu.limit, ...bar(cpuRatio) },
    { name: `${name}, peak memory`, unit: 'MB', ours: peak.ours, limit: peak.limit, ...bar(peakRatio) },
  ]
}

function copyRow({ peakBytes }: Cost, megabytes: number): BenchRow {
  const ours = peakBytes / MB
  const name = `build of 200 narrations of ${megabytes} MB with emit: copy, peak memory`
  return { name, unit: 'MB', ours, limit: null, peers: {}, ratio: null, ...atMost('ours', ours, COPY_MB, ' MB') }
}
