import { join } from 'node:path'
import { atMost, reported } from '../harness/bars.ts'
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

/** The plugin, with the audio in the bundle and copied; static files, and static files with modules. */
type Builder = 'bundle' | 'copy' | 'static' | 'modules'

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
    const costs = await rounds(context, ['bundle', 'copy', 'static', 'modules'], 7, (name) =>
      built(context, small, name),
    )
    // `VITE_BENCH_MB` sets a smaller file size, to save time or disk.
    const megabytes = Number(process.env['VITE_BENCH_MB'] ?? 5)
    const large = await makeSites(join(context.folder, 'large'), POSTS, megabytes * MB)
    context.progress(`${POSTS} files of ${megabytes} MB, copied`)
    const copied = await measure(context, NARRATED, { root: large.narrated, emit: 'copy' })
    return [...warmRows(costs), copyRow(copied, megabytes)]
  },
}

async function built(context: BenchContext, sites: Sites, name: Builder): Promise<Cost> {
  return name === 'bundle' || name === 'copy'
    ? measure(context, NARRATED, { root: sites.narrated, emit: name })
    : measure(context, STATIC, { root: sites[name] })
}

function warmRows(costs: Record<Builder, Cost[]>): BenchRow[] {
  const cpu = medians(costs, ({ cpuSeconds }) => cpuSeconds)
  const peak = medians(costs, ({ peakBytes }) => peakBytes / MB)
  return [...againstStatic('CPU', 's', cpu), ...againstStatic('peak memory', 'MB', peak)]
}

/**
 * Each way of emitting against the static files. `bundle` is only reported: Vite reads static assets in native code, which
 * a plugin cannot do.
 */
function againstStatic(what: string, unit: string, values: Record<Builder, number>): BenchRow[] {
  const peers = { 'static with modules': values.modules }
  return (['bundle', 'copy'] as const).map((emit) => {
    const ratio = values[emit] / values.static
    const name = `warm build of ${POSTS} narrations, emit: ${emit}, ${what}`
    const bar = emit === 'copy' ? atMost('ours/limit', ratio, 1.05) : reported('ours/limit')
    return Object.assign(bar, { name, unit, ours: values[emit], limit: values.static, ratio, peers })
  })
}

function copyRow({ peakBytes }: Cost, megabytes: number): BenchRow {
  const ours = peakBytes / MB
  const name = `build of 200 narrations of ${megabytes} MB with emit: copy, peak memory`
  return { name, unit: 'MB', ours, limit: null, peers: {}, ratio: null, ...atMost('ours', ours, COPY_MB, ' MB') }
}
