import { nodeBinary, type NodeMajor } from '@svc-audio/kit/hosts'
import { App } from '../express-upload/app.ts'
import { type AppName, APPS } from '../express-upload/app-protocol.ts'
import { atLeast, atMost } from '../harness/bars.ts'
import type { BenchCase, BenchContext, BenchRow } from '../harness/bench-case.ts'
import { MB } from '../harness/units.ts'
import { Sink } from '../upload/sink.ts'

const MAJORS: readonly NodeMajor[] = [22, 24, 26]
const UPLOADS = 10
/** The interface's limit, less some room for the form. */
const MEGABYTES = 511

/** Allowed memory, to that of the same work by hand in the same form. */
const MEMORY = 1.15
/** Allowed processor time, likewise. */
const CPU = 1.3

/**
 * How much earlier the first byte is at the service than with a stored file, at least. The peer's time grows with the file:
 * with 511 MB it is more than a hundred times.
 */
const FIRST_BYTE = 10

/** The result of ten uploads in a row through one process. */
interface Run {
  readonly peakMegabytes: number
  readonly cpuSeconds: number
  /** From the client's first byte to the service's, in milliseconds: the median. */
  readonly firstByteMs: number
}

/** Uploads through an app: memory, CPU and the delay of the first byte upstream. */
export const benchCase: BenchCase = {
  name: 'express-upload',
  description:
    'ten uploads of 511 MB in a row through an Express app and a handler for Web requests, on Node 22, 24 and 26 (`--size` for other sizes)',
  async run(context) {
    const sink = await Sink.start()
    try {
      const rows: BenchRow[] = []
      for (const major of MAJORS) rows.push(...(await measureMajor(context, sink, major)))
      return rows
    } finally {
      sink.stop()
    }
  },
}

async function measureMajor(context: BenchContext, sink: Sink, major: NodeMajor): Promise<BenchRow[]> {
  const node = await nodeBinary(major)
  const runs = new Map<AppName, Run>()
  for (const name of APPS) {
    // Peers are measured for their first byte only: one upload, not ten through the disk.
    const count = name.endsWith('openai') ? 1 : UPLOADS
    context.progress(`Node ${major}, ${name}, ${count} uploads of ${sizeOf(context)} MB`)
    runs.set(name, await runApp(context, sink, name, node, count))
  }
  const [ours, web] = [run(runs, 'ours'), run(runs, 'web')]
  const [bare, bareWeb] = [run(runs, 'bare'), run(runs, 'bare web')]
  const [multer, fileupload] = [run(runs, 'multer + openai'), run(runs, 'express-fileupload + openai')]
  const peers = { 'multer + openai': multer.firstByteMs, 'express-fileupload + openai': fileupload.firstByteMs }
  const firstByte = (name: string, { firstByteMs }: Run, limit: Run): BenchRow => ({
    name,
    unit: 'ms',
    ours: firstByteMs,
    limit: limit.firstByteMs,
    peers,
    ratio: multer.firstByteMs / firstByteMs,
    ...atLeast('multer + openai/ours', multer.firstByteMs / firstByteMs, FIRST_BYTE),
  })
  // Rows for the README of the package.
  const cpu = ours.cpuSeconds / bare.cpuSeconds
  const cells = [
    `Node ${major}`,
    `${ours.peakMegabytes.toFixed(0)} MB`,
    `${bare.peakMegabytes.toFixed(0)} MB`,
    `${cpu.toFixed(2)} ×`,
    ...[ours, multer, fileupload].map(({ firstByteMs }) => `${firstByteMs.toFixed(0)} ms`),
  ]
  context.progress(`README: | ${cells.join(' | ')} |`)
  return [
    row(`Express peak memory, Node ${major}`, 'MB', ours.peakMegabytes, bare.peakMegabytes, MEMORY),
    row(`Express CPU, Node ${major}`, 's', ours.cpuSeconds, bare.cpuSeconds, CPU),
    firstByte(`Express first byte upstream, Node ${major}`, ours, bare),
    row(`Web handler peak memory, Node ${major}`, 'MB', web.peakMegabytes, bareWeb.peakMegabytes, MEMORY),
    row(`Web handler CPU, Node ${major}`, 's', web.cpuSeconds, bareWeb.cpuSeconds, CPU),
    firstByte(`Web handler first byte upstream, Node ${major}`, web, bareWeb),
  ]
}

function run(runs: ReadonlyMap<AppName, Run>, name: AppName): Run {
  const found = runs.get(name)
  if (found === undefined) throw new Error(`${name} was not measured`)
  return found
}

function row(name: string, unit: string, ours: number, limit: number, max: number): BenchRow {
  const ratio = ours / limit
  return { name, unit, ours, limit, peers: {}, ratio, ...atMost('ours/limit', ratio, max) }
}

async function runApp(context: BenchContext, sink: Sink, name: AppName, node: string, count: number): Promise<Run> {
  await using app = await App.start(name, sink.origin, node)
  const bytes = sizeOf(context) * MB
  const waits: number[] = []
  const before = await app.cost()
  for (let index = 0; index < count; index += 1) {
    context.signal.throwIfAborted()
    const { outcome: start, report } = await sink.during(() => app.upload(bytes))
    if (report.fileBytes !== bytes) throw new Error(`${name} forwarded ${report.fileBytes} bytes of ${bytes}`)
    waits.push(report.firstByteAt - start)
  }
  const after = await app.cost()
  const firstByteMs = waits.toSorted((a, b) => a - b)[Math.floor(waits.length / 2)] ?? 0
  return { peakMegabytes: after.peakBytes / MB, cpuSeconds: after.cpuSeconds - before.cpuSeconds, firstByteMs }
}

function sizeOf({ megabytes = MEGABYTES }: BenchContext): number {
  return megabytes
}
