import type { BenchContext } from '../harness/bench-case.ts'
import { measure } from '../harness/measure.ts'
import type { UploadArgs } from './client-args.ts'
import type { Sink } from './sink.ts'

/** Modules of the uploading clients. */
const CLIENTS = {
  ours: new URL('./ours.ts', import.meta.url),
  limit: new URL('./undici-stream.ts', import.meta.url),
  openai: new URL('./openai.ts', import.meta.url),
  'undici, two buffers': new URL('./undici-reused.ts', import.meta.url),
}

/** Name of an uploading client. */
export type UploadClient = keyof typeof CLIENTS

/** All uploading clients: ours, the limit, the peers. */
export const UPLOAD_CLIENTS: readonly UploadClient[] = ['ours', 'limit', 'openai', 'undici, two buffers']

/** Cost of one upload to the client's process. */
export interface UploadCost {
  readonly peakBytes: number
  readonly cpuSeconds: number
  /** Whether `Content-Length` was sent. */
  readonly announced: boolean
}

/**
 * Uploads a file once, in a fresh process.
 * @throws Error when the response, the file's bytes or the announced length are wrong
 */
export async function measureUpload(
  context: BenchContext,
  sink: Sink,
  client: UploadClient,
  file: { readonly path: string; readonly size: number },
): Promise<UploadCost> {
  const args: UploadArgs = { origin: sink.origin, path: file.path }
  const { outcome, report } = await sink.during(() => measure<string>(context, CLIENTS[client], args))
  if (outcome.result !== 'ok') throw new Error(`${client} did not get the sink's answer`)
  if (report.fileBytes !== file.size) {
    throw new Error(`${client} sent ${report.fileBytes} bytes of a file of ${file.size}`)
  }
  if (report.contentLength !== null && report.contentLength !== report.bodyBytes) {
    throw new Error(`${client} announced ${report.contentLength} bytes and sent ${report.bodyBytes}`)
  }
  return { ...outcome, announced: report.contentLength !== null }
}
