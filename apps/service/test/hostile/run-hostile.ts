import { readdir } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { barrage } from './barrage.ts'
import { cutConnections } from './cut-connections.ts'
import { type Mode, type ServiceChild, startServiceChild } from './service-child.ts'
import { slowClients } from './slow-clients.ts'
import type { Breach, RouteCount } from './tally.ts'
import { oddMedia, trickyNames } from './uploads.ts'

/** Options of {@link runHostile}. */
export interface HostileOptions {
  readonly mode: Mode
  readonly requests: number
  readonly seed: number
  /** Connections to cut. */
  readonly cuts: number
  /** Slow clients at the same time. */
  readonly slow: number
  /** Whether to upload deceptive files. Only real engines can judge them. */
  readonly media: boolean
  readonly log?: (line: string) => void
}

/** Results of the hostile run. */
export interface HostileReport {
  readonly mode: Mode
  readonly seed: number
  readonly sent: number
  readonly acceptedShare: number
  readonly routes: Readonly<Record<string, RouteCount>>
  /** Wrong answers. */
  readonly breaches: readonly Breach[]
  /** Wrong answers to uploads. */
  readonly uploads: readonly string[]
  /** Status of an ordinary request among slow clients. */
  readonly besideSlowClients: number
  /** Streams that were cut mid-stream. */
  readonly cutInMidStream: number
  /** Heap and buffers, in megabytes, after a fifth of the requests and at the end. */
  readonly memory: { readonly before: number; readonly after: number }
  readonly rss: { readonly before: number; readonly after: number }
  /** Connections still open. */
  readonly sockets: number
  /** Remaining files of uploads and tasks. */
  readonly leftovers: readonly string[]
  /** Content of the service's folder except results, before and after. */
  readonly folder: { readonly before: readonly string[]; readonly after: readonly string[] }
  /** Content beside the service's folder. */
  readonly neighbours: readonly string[]
  readonly alive: boolean
  readonly exitCode: number | null
  readonly complaints: string
}

const MB = 1024 * 1024
/** Longest wait for tasks and connections to end, in milliseconds. */
const SETTLE_MS = 120_000

/** With real engines, other tests cover the formats that need a process each. */
const FORMATS: Readonly<Record<Mode, readonly string[]>> = {
  fast: ['mp3', 'wav', 'opus', 'flac', 'aac', 'pcm'],
  real: ['wav', 'pcm'],
}

/** Sends the service hostile requests of every kind. */
export async function runHostile(options: HostileOptions): Promise<HostileReport> {
  const { mode, requests, seed, cuts, slow, media, log = () => undefined } = options
  const service = await startServiceChild(mode)
  const folderBefore = await keptFiles(service)
  let before = await service.measure()
  const tally = await barrage(service, { requests, seed, formats: FORMATS[mode] }, async () => {
    before = await service.measure()
    log(`${mode}: warm, ${Math.round(before.memory / MB)} MB`)
  })
  log(`${mode}: ${tally.sent} requests sent, ${tally.breaches.length} answered wrongly`)
  const uploads = [...(await trickyNames(service)), ...(media ? await oddMedia(service) : [])]
  log(`${mode}: uploads done`)
  const besideSlowClients = await slowClients(service, slow)
  const cutInMidStream = await cutConnections(service, cuts)
  log(`${mode}: ${cuts} connections cut, ${cutInMidStream} of them in mid-stream`)
  await settle(service)
  const after = await service.measure()
  const leftovers = await service.leftovers()
  const folder = { before: folderBefore, after: await keptFiles(service) }
  const neighbours = await service.neighbours()
  const { alive } = service
  const exitCode = await service.stop()
  return {
    mode,
    seed,
    sent: tally.sent,
    acceptedShare: tally.acceptedShare,
    routes: Object.fromEntries(tally.routes),
    breaches: tally.breaches,
    uploads,
    besideSlowClients,
    cutInMidStream,
    memory: { before: before.memory / MB, after: after.memory / MB },
    rss: { before: before.rss / MB, after: after.rss / MB },
    sockets: after.sockets,
    leftovers,
    folder,
    neighbours,
    alive,
    exitCode,
    complaints: service.complaints,
  }
}

/** Waits until nothing is in flight. */
async function settle(service: ServiceChild): Promise<void> {
  for (const end = Date.now() + SETTLE_MS; Date.now() < end; await delay(200)) {
    const [{ sockets }, leftovers] = await Promise.all([service.measure(), service.leftovers()])
    if (sockets === 0 && leftovers.length === 0) return
  }
}

/** Unexpected names in the folder: no caches, no results, no uploads, no database. */
async function keptFiles({ dataDir }: ServiceChild): Promise<string[]> {
  const names = await readdir(dataDir, { recursive: true })
  const passing = /^(cache|results|files|objects|voices|inputs|uploads)(\/|$)|\.sqlite/
  return names
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => !passing.test(name))
    .toSorted()
}
