import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { nodeBinary, type NodeMajor } from '@svc-audio/kit/hosts'
import type { AppCost, AppName } from '../contestants/express-upload.ts'
import {
  atLeast,
  type BenchCase,
  type BenchContext,
  type BenchRow,
  besideLimit,
  MB,
  median,
} from '../harness/bench-case.ts'
import { BenchProcess } from '../harness/processes.ts'
import { headerOf } from '../harness/wav.ts'
import { ScriptedService } from '../scripted/service.ts'

/** The compared apps, each in a separate process. */
const APPS: readonly AppName[] = ['ours', 'web', 'bare', 'bare web', 'multer + openai', 'express-fileupload + openai']

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
    const service = await ScriptedService.start()
    try {
      const rows: BenchRow[] = []
      for (const major of MAJORS) rows.push(...(await measureMajor(context, service, major)))
      return rows
    } finally {
      service.stop()
    }
  },
}

async function measureMajor(context: BenchContext, service: ScriptedService, major: NodeMajor): Promise<BenchRow[]> {
  const node = await nodeBinary(major)
  const runs = new Map<AppName, Run>()
  for (const name of APPS) {
    // Peers are measured for their first byte only: one upload, not ten through the disk.
    const count = name.endsWith('openai') ? 1 : UPLOADS
    context.progress(`Node ${major}, ${name}, ${count} uploads of ${sizeOf(context)} MB`)
    runs.set(name, await runApp(context, service, name, node, count))
  }
  const [ours, web] = [run(runs, 'ours'), run(runs, 'web')]
  const [bare, bareWeb] = [run(runs, 'bare'), run(runs, 'bare web')]
  const [multer, fileupload] = [run(runs, 'multer + openai'), run(runs, 'express-fileupload + openai')]
  const peers = { 'multer + openai': multer.firstByteMs, 'express-fileupload + openai': fileupload.firstByteMs }
  const rowsOf = (form: string, our: Run, limit: Run): BenchRow[] => {
    const memory = { ours: our.peakMegabytes, limit: limit.peakMegabytes }
    const cpuSeconds = { ours: our.cpuSeconds, limit: limit.cpuSeconds }
    const ratio = multer.firstByteMs / our.firstByteMs
    const firstByte = { unit: 'ms', ours: our.firstByteMs, limit: limit.firstByteMs, peers, ratio }
    return [
      besideLimit({ name: `${form} peak memory, Node ${major}`, unit: 'MB', ...memory }, MEMORY),
      besideLimit({ name: `${form} CPU, Node ${major}`, unit: 's', ...cpuSeconds }, CPU),
      {
        name: `${form} first byte upstream, Node ${major}`,
        ...firstByte,
        ...atLeast('multer + openai/ours', ratio, FIRST_BYTE),
      },
    ]
  }
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
  return [...rowsOf('Express', ours, bare), ...rowsOf('Web handler', web, bareWeb)]
}

function run(runs: ReadonlyMap<AppName, Run>, name: AppName): Run {
  const found = runs.get(name)
  if (found === undefined) throw new Error(`${name} was not measured`)
  return found
}

/** Uploads through an app in a separate process, measured alone. */
async function runApp(
  context: BenchContext,
  service: ScriptedService,
  name: AppName,
  node: string,
  count: number,
): Promise<Run> {
  const flags = ['--disable-warning=ExperimentalWarning']
  const entry = new URL('../contestants/express-upload.ts', import.meta.url)
  await using app = BenchProcess.start(entry, [name, service.origin], { node, flags })
  const url = await app.next<string>()
  const cost = async (): Promise<AppCost> => (await (await fetch(`${url}/cost`)).json()) as AppCost
  const bytes = sizeOf(context) * MB
  const waits: number[] = []
  const before = await cost()
  for (let index = 0; index < count; index += 1) {
    context.signal.throwIfAborted()
    const start = await upload(url, bytes)
    const { fileBytes, firstByteAt } = await service.lastUpload()
    if (fileBytes !== bytes) throw new Error(`${name} forwarded ${fileBytes} bytes of ${bytes}`)
    waits.push(firstByteAt - start)
  }
  const { peakBytes, cpuSeconds } = await cost()
  return { peakMegabytes: peakBytes / MB, cpuSeconds: cpuSeconds - before.cpuSeconds, firstByteMs: median(waits) }
}

function sizeOf({ megabytes = MEGABYTES }: BenchContext): number {
  return megabytes
}

const CHUNK = Buffer.alloc(256 * 1024)
const BOUNDARY = 'bench'

/**
 * Uploads a WAV of silence as a browser would.
 * @returns when its first byte was sent, in milliseconds since the epoch, comparable across processes of the machine
 * @throws Error when the app does not answer 200
 */
async function upload(url: string, bytes: number): Promise<number> {
  const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
  const form = request(url, { method: 'POST', headers, agent: false })
  const answered = once(form, 'response') as Promise<[IncomingMessage]>
  const disposition = 'Content-Disposition: form-data; name="file"; filename="long.wav"'
  const header = headerOf(bytes)
  const start = performance.timeOrigin + performance.now()
  form.write(`--${BOUNDARY}\r\n${disposition}\r\nContent-Type: audio/wav\r\n\r\n`)
  form.write(header)
  for (let left = bytes - header.byteLength; left > 0; left -= CHUNK.byteLength) {
    if (!form.write(CHUNK.subarray(0, left))) await once(form, 'drain')
  }
  form.end(`\r\n--${BOUNDARY}--\r\n`)
  const [answer] = await answered
  const body = await text(answer)
  if (answer.statusCode !== 200) throw new Error(`The app answered ${answer.statusCode}: ${body.slice(0, 300)}`)
  return start
}
